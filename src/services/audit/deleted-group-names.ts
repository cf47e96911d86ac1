import type { TokenVault } from "../../domain/accounts/token-vault.js";
import {
  findNamedDeletions,
  NAMED_DELETIONS,
  pseudonymizeEntries,
} from "../../persistence/audit/erasure-queries.js";
import { expiredRows, type PurgeQueries } from "../../persistence/shared/purge-queries.js";

/** Groups per batch. A group may have many entries, which are limited separately. */
const MAX_GROUPS = 200;

/** Returns the purge that replaces the external IDs of groups in the audit log `maxAgeMs` after their deletion by pseudonyms. */
export function deletedGroupNames(vault: TokenVault, maxAgeMs: number): PurgeQueries {
  const { overdueSeconds, count } = expiredRows(NAMED_DELETIONS, maxAgeMs);
  return {
    overdueSeconds,
    count,
    async removeBatch(transaction, limit) {
      const groups = await findNamedDeletions(transaction, maxAgeMs, Math.min(limit, MAX_GROUPS));
      if (groups.length === 0) return { rows: 0, isLast: true };
      const erased = groups.map((group) => ({
        ...group,
        pseudonym: vault.pseudonym(transaction.accountId, group.providedId),
      }));
      const rows = await pseudonymizeEntries(transaction, erased, limit);
      return { rows, isLast: rows < limit && groups.length < Math.min(limit, MAX_GROUPS) };
    },
  };
}
