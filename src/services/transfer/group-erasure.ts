import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { findDeletions, pseudonymizeEntries } from "../../persistence/audit/erasure-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { findUserGroupsByProvidedIds } from "../../persistence/user-groups/reads.js";
import { countPendingAbout, deleteCompletedDeliveries } from "../../persistence/webhooks/erasure-queries.js";

const BATCH_SIZE = 2000;
/** Deliveries that a statement reads. */
const PAGE_SIZE = 20_000;

export interface ErasureReport {
  /** The audit log's name for the group from now on. */
  readonly pseudonym: string;
  readonly auditEntries: number;
  readonly deliveries: number;
  /** Deliveries that still have to be sent, which name the group. */
  readonly pendingDeliveries: number;
}

/** Erases what is left of a deleted user group, without waiting for the purge. Safe to repeat. */
export class GroupErasure {
  readonly #db: Database;
  readonly #vault: TokenVault;

  constructor(db: Database, vault: TokenVault) {
    this.#db = db;
    this.#vault = vault;
  }

  /** @throws OperatorError if the group exists, or the audit log has no deletion of it */
  async erase(tenant: Tenant, providedId: string): Promise<ErasureReport> {
    const db = this.#db.for(tenant);
    if ((await findUserGroupsByProvidedIds(db, [providedId])).length > 0) {
      throw new OperatorError(`User group ${JSON.stringify(providedId)} exists. Delete it first.`);
    }
    const pseudonym = this.#vault.pseudonym(db.accountId, providedId);
    const deleted = await findDeletions(db, [providedId, pseudonym]);
    if (deleted.length === 0) {
      throw new OperatorError(
        `The audit log has no deleted user group ${JSON.stringify(providedId)}. Check the ID, account and environment.`,
      );
    }
    const named = deleted.filter((group) => group.providedId === providedId);
    let auditEntries = 0;
    for (let erased = BATCH_SIZE; erased === BATCH_SIZE; auditEntries += erased) {
      const groups = named.map((group) => ({ ...group, pseudonym }));
      erased = await db.transaction((transaction) => pseudonymizeEntries(transaction, groups, BATCH_SIZE));
    }
    const subjects = deleted.map(({ id }) => `user_group:${id}`);
    let deliveries = 0;
    for (let after: number | null = 0; after !== null; ) {
      const page = await db.transaction((transaction) =>
        deleteCompletedDeliveries(transaction, subjects, after ?? 0, PAGE_SIZE),
      );
      deliveries += page.rows;
      after = page.last;
    }
    return { pseudonym, auditEntries, deliveries, pendingDeliveries: await countPendingAbout(db, subjects) };
  }
}
