import type { Tenant } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { lookupOf, type TokenVault } from "../../domain/accounts/token-vault.js";
import type { ImportedGroup } from "../../domain/transfer/imported-record.js";
import { parseUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { findTokenLocations, findTokenOwners } from "../../persistence/user-groups/imported-token-queries.js";

/** Ownership of imported tokens: a token must identify a single group across all accounts. */
export class ImportedTokens {
  /** @param taken hashes of tokens that belong to another group */
  private constructor(
    private readonly lookups: ReadonlyMap<string, readonly string[]>,
    private readonly taken: ReadonlySet<string>,
  ) {}

  /**
   * Finds the owners of the tokens of a batch. Call it outside a transaction: it reads several tenants and needs its own connections.
   */
  static async load(
    db: Database,
    vault: TokenVault,
    tenant: Tenant,
    items: readonly ImportedGroup[],
  ): Promise<ImportedTokens> {
    const lookups = new Map<string, readonly Buffer[]>();
    for (const { token } of items) if (token !== undefined) lookups.set(token, vault.lookups(token));
    const taken = lookups.size === 0 ? new Set<string>() : await findTaken(db, tenant, items, lookups);
    return new ImportedTokens(
      new Map([...lookups].map(([token, hashes]) => [token, hashes.map(toHex)])),
      taken,
    );
  }

  /** Returns whether the token belongs to another group than that of its line. */
  isTaken(token: string): boolean {
    return this.#hashes(token).some((hash) => this.taken.has(hash));
  }

  /** Returns whether the group has the token. */
  isTokenOf(token: string, { storedToken }: UserGroup): boolean {
    return this.#hashes(token).includes(lookupOf(storedToken));
  }

  #hashes(token: string): readonly string[] {
    return this.lookups.get(token) ?? [];
  }
}

async function findTaken(
  db: Database,
  { accountId, environment }: Tenant,
  items: readonly ImportedGroup[],
  lookups: ReadonlyMap<string, readonly Buffer[]>,
): Promise<Set<string>> {
  const hashes = [...lookups.values()].flat();
  const importingGroups = new Map(
    items.flatMap(({ token, providedId }) =>
      (token === undefined ? [] : (lookups.get(token) ?? [])).map((hash) => [toHex(hash), providedId]),
    ),
  );
  const taken = new Set<string>();
  // Tokens must be unique across both environments.
  for (const other of ENVIRONMENTS) {
    const tenant = { accountId, environment: other };
    for (const { lookup, providedId } of await findTokenOwners(db.for(tenant), hashes)) {
      if (other !== environment || providedId !== importingGroups.get(lookup)) taken.add(lookup);
    }
  }
  // A token issued by this service names its account, which may be a different one.
  for (const [namedAccountId, tokenHashes] of hashesByAccount(lookups)) {
    if (namedAccountId === accountId) continue;
    for (const environment of ENVIRONMENTS) {
      const tenant = { accountId: namedAccountId, environment };
      const owners = await findTokenOwners(db.for(tenant), tokenHashes);
      for (const { lookup } of owners) taken.add(lookup);
    }
  }
  const places = await findTokenLocations(db.of("operator"), hashes);
  for (const place of places.filter((other) => other.accountId !== accountId)) {
    // The token recorded there may have been rotated since.
    const owners = await findTokenOwners(db.for(place), [place.lookup]);
    if (owners.length > 0) taken.add(toHex(place.lookup));
  }
  return taken;
}

/** Groups the hashes of tokens issued by this service by the account that they name. */
function hashesByAccount(lookups: ReadonlyMap<string, readonly Buffer[]>): Map<number, readonly Buffer[]> {
  const found = new Map<number, Buffer[]>();
  for (const [token, hashes] of lookups) {
    const accountId = parseUserGroupToken(token)?.accountId;
    if (accountId === undefined) continue;
    const known = found.get(accountId) ?? [];
    known.push(...hashes);
    found.set(accountId, known);
  }
  return found;
}

function toHex(hash: Buffer): string {
  return hash.toString("hex");
}
