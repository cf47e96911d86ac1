import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import type { ImportedGroup, ImportOptions } from "../../domain/transfer/imported-record.js";
import { type ImportOutcome, Refusal } from "../../domain/transfer/refusal.js";
import { isImportedToken, issueUserGroupToken } from "../../domain/user-groups/token.js";
import { findTokenKey } from "../../persistence/accounts/account-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { violates } from "../../persistence/shared/database-error.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { analyzeImported } from "../../persistence/transfer/import-statistics.js";
import { replaceTokens } from "../../persistence/transfer/imported-group-queries.js";
import { insertManyUserGroups, updateUserGroups } from "../../persistence/user-groups/bulk-writes.js";
import { putImportedTokens } from "../../persistence/user-groups/imported-token-queries.js";
import { insertMappings, replaceMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import type { ChangeFeed } from "../user-groups/change-feed.js";
import { ConcurrentCreation, retryConflicts } from "../user-groups/conflict-retry.js";
import { type PlannedGroup, planGroups } from "./group-import-plan.js";
import { ImportedTokens, tokenTaken } from "./imported-tokens.js";

/** ANALYZE runs once this many groups were created, and again whenever their number has grown by the factor. */
const ANALYZE_FROM = 2000;
const ANALYZE_FACTOR = 4;

type Creation = Extract<PlannedGroup, { action: "create" }>;
type Update = Extract<PlannedGroup, { action: "update" }>;

export interface GroupImportDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
}

/** Imports groups, including their existing tokens (decision 45). */
export class GroupImport {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #changes: ChangeFeed;
  readonly #warn: (message: string) => void;
  #created = 0;
  #analyzeAt = ANALYZE_FROM;
  #hasWarned = false;

  /** @param warn receives problems that do not affect the import of any line */
  constructor({ db, vault, changes }: GroupImportDependencies, warn: (message: string) => void) {
    this.#db = db;
    this.#vault = vault;
    this.#changes = changes;
    this.#warn = warn;
  }

  /**
   * Creates missing groups and updates those that differ, in one transaction. A rejected line does not affect other lines.
   * @param items must have distinct external IDs and tokens
   * @returns an outcome per line, in the order of the lines
   * @throws OperatorError when the account's tokens are encrypted under a key that is not configured
   */
  async run(
    writer: Writer,
    items: readonly ImportedGroup[],
    options: ImportOptions,
  ): Promise<ImportOutcome[]> {
    const tokens = await ImportedTokens.load(this.#db, this.#vault, writer, items);
    if (options.dryRun) {
      return (await planGroups(this.#db.for(writer), items, tokens, options)).map(outcomeOf);
    }
    try {
      return await retryConflicts(() => this.#write(writer, items, tokens, options));
    } catch (error) {
      if (violates(error, "user_group_token_uq")) return this.#runHalves(writer, items, options);
      throw error;
    }
  }

  /** Bisects the batch to find the token that another group has received since the check. */
  async #runHalves(
    writer: Writer,
    items: readonly ImportedGroup[],
    options: ImportOptions,
  ): Promise<ImportOutcome[]> {
    if (items.length === 1) return [tokenTaken()];
    const middle = Math.ceil(items.length / 2);
    const first = await this.run(writer, items.slice(0, middle), options);
    return [...first, ...(await this.run(writer, items.slice(middle), options))];
  }

  async #write(
    writer: Writer,
    items: readonly ImportedGroup[],
    tokens: ImportedTokens,
    options: ImportOptions,
  ): Promise<ImportOutcome[]> {
    const { plan, created } = await this.#db.for(writer).transaction(async (transaction) => {
      const groups = await planGroups(transaction, items, tokens, options);
      // Read the key after waiting for locks: re-encryption waits only briefly for writers that still use the former key.
      const owner = { ...writer, tokenKeyId: await this.#tokenKey(transaction, writer) };
      const ids = await this.#create(
        transaction,
        owner,
        groups.filter((each) => "action" in each && each.action === "create"),
      );
      await this.#update(
        transaction,
        owner,
        groups.filter((each) => "action" in each && each.action === "update"),
      );
      return { plan: groups, created: ids };
    });
    for (const id of created) this.#changes.publish(writer, id, "created");
    for (const each of plan) {
      if (!("action" in each) || each.action !== "update") continue;
      this.#changes.publish(writer, each.id, each.changes.token === undefined ? "updated" : "tokenRotated");
    }
    await this.#analyze(created.length);
    return plan.map(outcomeOf);
  }

  /** Reads the current encryption key: the account's key may change during an import that takes hours. */
  async #tokenKey(transaction: TenantDb, { accountName }: Writer): Promise<string> {
    const keyId = await findTokenKey(transaction.raw, transaction.accountId);
    if (this.#vault.hasKey(keyId)) return keyId;
    throw new OperatorError(
      `The tokens of account ${JSON.stringify(accountName)} are encrypted with key ${keyId}, which is not in ENCRYPTION_KEYS. Run the import again with all of the service's keys.`,
    );
  }

  async #analyze(created: number): Promise<void> {
    this.#created += created;
    if (this.#created < this.#analyzeAt) return;
    this.#analyzeAt = ANALYZE_FACTOR * this.#created;
    try {
      await analyzeImported(this.#db);
    } catch (error) {
      // Only warn: the batch is committed, so failing or retrying would be wrong.
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn(`The tables could not be analyzed, so the import may become slower: ${reason}`);
    }
  }

  /** Returns the IDs of the new groups. */
  async #create(
    transaction: TenantDb,
    writer: Writer,
    creations: readonly Creation[],
  ): Promise<readonly number[]> {
    if (creations.length === 0) return [];
    const rows = creations.map(({ group, entries }) => {
      const { providedId, name, properties = null, token: importedToken } = group;
      const token = this.#vault.encryptToken(importedToken ?? issueUserGroupToken(writer.accountId), writer);
      const isImported = importedToken !== undefined && isImportedToken(writer.accountId, importedToken);
      return { providedId, name, properties, token, entries, isImported };
    });
    const ids = await insertManyUserGroups(transaction, rows);
    const created = rows.map((row) => {
      const userGroupId = ids.get(row.providedId);
      // Roll back and retry: locking concurrently created groups now, while holding new rows, could deadlock.
      if (userGroupId === undefined) throw new ConcurrentCreation();
      return { ...row, userGroupId };
    });
    const entries = created.flatMap((row) =>
      row.entries.map((entry) => ({ ...entry, userGroupId: row.userGroupId })),
    );
    await insertMappings(transaction, entries);
    const imported = created.filter(({ isImported }) => isImported);
    const lookups = imported.map(({ userGroupId, token }) => ({ userGroupId, lookup: token.lookup }));
    await putImportedTokens(transaction, lookups);
    return created.map(({ userGroupId }) => userGroupId);
  }

  async #update(transaction: TenantDb, writer: Writer, updates: readonly Update[]): Promise<void> {
    const fields = updates.map(({ id, changes: { name, properties, entries } }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      ...(properties === undefined ? {} : { properties }),
      ...(entries === undefined ? {} : { mappingChanged: true }),
    }));
    await updateUserGroups(
      transaction,
      fields.filter((each) => Object.keys(each).length > 1),
    );
    const mappings = updates.flatMap(({ id, changes: { entries } }) =>
      entries ? [{ userGroupId: id, entries, isFirst: false }] : [],
    );
    await replaceMappings(transaction, mappings);
    const tokens = updates.flatMap(({ id, changes: { token } }) =>
      token === undefined ? [] : [{ id, plaintext: token, token: this.#vault.encryptToken(token, writer) }],
    );
    await replaceTokens(transaction, tokens);
    const imported = tokens.filter(({ plaintext }) => isImportedToken(writer.accountId, plaintext));
    const lookups = imported.map(({ id, token }) => ({ userGroupId: id, lookup: token.lookup }));
    await putImportedTokens(transaction, lookups);
  }
}

function outcomeOf(planned: PlannedGroup): ImportOutcome {
  if (planned instanceof Refusal) return planned;
  switch (planned.action) {
    case "create":
      return "created";
    case "update":
      return "updated";
    case "nothing":
      return "unchanged";
  }
}
