import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import { findDeletions, pseudonymizeEntries } from "../../persistence/audit/erasure-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { deleteRepliesAbout } from "../../persistence/requests/idempotent-request-queries.js";
import { findUserGroupsByProvidedIds } from "../../persistence/user-groups/reads.js";
import { countPendingAbout, deleteDeliveriesAbout } from "../../persistence/webhooks/erasure-queries.js";

const BATCH_SIZE = 2000;
/** Deliveries that a statement reads. */
const PAGE_SIZE = 20_000;

interface ErasureReport {
  /** The audit log's name for the group from now on. */
  readonly pseudonym: string;
  readonly auditEntries: number;
  readonly deliveries: number;
  readonly storedReplies: number;
  /** Deliveries that still have to be sent, which name the group, and when the newest was queued. */
  readonly pending: { readonly count: number; readonly newest: Date | null };
}

/** Erases what is left of a deleted user group, without waiting for the purge. Safe to repeat. */
export class GroupErasure {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  /**
   * @param dropPending whether to delete also the deliveries that are still to be sent
   * @throws DomainError if the group exists, or the audit log has no deletion of it
   */
  async erase(tenant: Tenant, providedId: string, dropPending: boolean): Promise<ErasureReport> {
    const db = this.db.for(tenant);
    if ((await findUserGroupsByProvidedIds(db, [providedId])).length > 0) {
      const problem = `User group ${JSON.stringify(providedId)} exists. Delete it first.`;
      throw new DomainError("user_group_exists", problem);
    }
    const pseudonym = this.vault.pseudonym(db.accountId, providedId);
    const deleted = await findDeletions(db, [providedId, pseudonym]);
    if (deleted.length === 0) {
      throw new DomainError(
        "user_group_not_found",
        `The audit log has no deleted user group ${JSON.stringify(providedId)}. Check the ID, account and environment.`,
      );
    }
    const named = deleted.filter((group) => group.providedId === providedId);
    let auditEntries = 0;
    for (let erased = BATCH_SIZE; erased === BATCH_SIZE; auditEntries += erased) {
      const groups = named.map((group) => ({ ...group, pseudonym }));
      erased = await db.transaction((transaction) => pseudonymizeEntries(transaction, groups, BATCH_SIZE));
    }
    const ids = deleted.map(({ id }) => id);
    const subjects = ids.map((id) => `user_group:${id}`);
    let deliveries = 0;
    for (let after: number | null = 0; after !== null; ) {
      const page = await db.transaction((transaction) =>
        deleteDeliveriesAbout(transaction, { subjects, dropPending }, after ?? 0, PAGE_SIZE),
      );
      deliveries += page.rows;
      after = page.last;
    }
    const storedReplies = await deleteRepliesAbout(db, ids);
    const pending = await countPendingAbout(db, subjects);
    return { pseudonym, auditEntries, deliveries, storedReplies, pending };
  }
}
