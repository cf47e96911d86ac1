import type { Tenant } from "../domain/caller.js";
import type { TokenVault } from "../domain/token-vault.js";
import { issueUserGroupToken } from "../domain/user-group-token.js";
import type { StoredToken } from "../persistence/user-group-writes.js";

/** Makes a new token for the group with this id, sealed as the database holds it. */
export function issueStoredToken(vault: TokenVault, tenant: Tenant, id: number): StoredToken {
  const token = issueUserGroupToken(tenant.accountId);
  return { ...vault.seal(token, { accountId: tenant.accountId, id }), lookup: vault.lookup(token) };
}
