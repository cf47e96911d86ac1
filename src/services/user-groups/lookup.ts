import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isPlausibleToken } from "../../domain/user-groups/token.js";
import type { UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { StoredRef } from "../../persistence/user-groups/writes.js";

/**
 * Converts a reference for the database; tokens are stored by hash.
 * @throws DomainError `user_group_not_found` for a malformed token
 */
export function storedRef(vault: TokenVault, ref: UserGroupRef): StoredRef {
  if (ref.by !== "token") return ref;
  if (!isPlausibleToken(ref.token)) throw userGroupNotFound("token");
  return { by: "token", lookups: vault.lookups(ref.token) };
}

/** @throws DomainError `user_group_not_found` if `found` is null */
export function requireUserGroup<Found extends object>(
  found: Found | null,
  ref: { readonly by: UserGroupRef["by"] },
): Found {
  if (!found) throw userGroupNotFound(ref.by);
  return found;
}

function userGroupNotFound(by: UserGroupRef["by"]): DomainError {
  return new DomainError(
    "user_group_not_found",
    `No user group has this ${by === "token" ? "token" : "ID"}.`,
  );
}
