import { DomainError, invalidField } from "../../domain/shared/errors.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { isTransactionConflict, violates } from "../../persistence/shared/database-error.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { countPropertiesBytes } from "../../persistence/user-groups/reads.js";

/** A group after its rotation, or before its deletion. */
export interface Edited {
  readonly userGroup: UserGroup;
}

/** A group after its update. */
export interface BulkUpdated extends Edited {
  /** Whether it was changed. */
  readonly changed: boolean;
}

/** The result of one item. `refused` is the group that exists, but was not changed. */
export type Outcome<Written> = Written | { readonly error: DomainError; readonly refused: UserGroup | null };

/** The edit of locked groups. */
export interface Write<Written> {
  /** Returns the errors of groups that cannot be changed, by ID. */
  check?(transaction: TenantDb, groups: readonly UserGroup[]): Promise<ReadonlyMap<number, DomainError>>;
  run(transaction: TenantDb, groups: readonly UserGroup[]): Promise<readonly Written[]>;
}

/** Returns the error of a valid item that was not written because another item of the request is invalid. */
export function batchRejected(): DomainError {
  return new DomainError(
    "batch_rejected",
    "Nothing was written, because another user group of the request is invalid.",
  );
}

/** Maximum bytes of stored properties per call, with the patch for each group of an update. Each is in memory several times. */
export const MAX_BULK_BYTES = 4 * 1024 * 1024;

/** @throws DomainError `invalid_field` if a patch is too large for a number of groups */
export function limitPatchBytes(groups: number, patchBytes: number): void {
  if (groups * patchBytes <= MAX_BULK_BYTES) return;
  const max = Math.floor(MAX_BULK_BYTES / groups);
  throw invalidField(["propertiesPatch"], `must be at most ${max} bytes of JSON for ${groups} user groups`);
}

/** @throws DomainError `invalid_field` if the stored properties of the groups are too large to be changed in one call */
export async function limitStoredBytes(
  transaction: TenantDb,
  groups: Parameters<typeof countPropertiesBytes>[1],
): Promise<void> {
  const bytes = await countPropertiesBytes(transaction, groups);
  if (bytes <= MAX_BULK_BYTES) return;
  const rule = `has user groups with ${bytes} bytes of properties, more than ${MAX_BULK_BYTES}; send fewer of them in a call`;
  throw invalidField(["userGroups"], rule);
}

const ATTEMPTS = 10;

/** Rolls a transaction back because a missing group was created concurrently. */
export class ConcurrentCreation extends Error {}

/** Constraints that another writer's row violates if it was committed after the transaction looked for it. */
const TAKEN = ["user_group_token_uq", "data_source_provided_id_uq"];

function isConflict(error: unknown): boolean {
  return (
    error instanceof ConcurrentCreation ||
    isTransactionConflict(error) ||
    TAKEN.some((constraint) => violates(error, constraint))
  );
}

/** Retries a transaction that conflicts with others on the same groups. @throws DomainError `unavailable` after ten attempts */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt < ATTEMPTS) continue;
      const message = "The same user groups are being created by concurrent requests. Try again.";
      throw new DomainError("unavailable", message, { retryAfter: 1, cause: error });
    }
  }
}
