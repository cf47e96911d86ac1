import type { Tenant } from "../domain/caller.js";
import { DomainError } from "../domain/errors.js";
import type { TokenVault } from "../domain/token-vault.js";
import type { UserGroup, UserGroupRef } from "../domain/user-group.js";
import { mayBeTokenOf } from "../domain/user-group-token.js";
import type { StoredRef } from "../persistence/user-group-writes.js";

/**
 * Turns a reference into the one the database knows.
 * @throws DomainError `user_group_not_found` for a token that cannot be one of this account
 */
export function storedRef(vault: TokenVault, tenant: Tenant, ref: UserGroupRef): StoredRef {
  if (ref.by !== "token") return ref;
  if (!mayBeTokenOf(tenant.accountId, ref.token)) throw userGroupNotFound(ref.by);
  return { by: "token", lookups: vault.lookups(ref.token) };
}

/** @throws DomainError `user_group_not_found` when there is no group */
export function requireUserGroup(
  group: UserGroup | null,
  ref: { readonly by: UserGroupRef["by"] },
): UserGroup {
  if (!group) throw userGroupNotFound(ref.by);
  return group;
}

function userGroupNotFound(by: UserGroupRef["by"]): DomainError {
  return new DomainError(
    "user_group_not_found",
    `No user group has this ${by === "token" ? "token" : "id"}.`,
  );
}
