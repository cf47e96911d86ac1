import type { Caller } from "../domain/caller.js";
import type { TokenVault } from "../domain/token-vault.js";
import { issueUserGroupToken } from "../domain/user-group-token.js";
import type { StoredToken } from "../persistence/user-group-writes.js";

/** Makes a new token for the group with this id, sealed under its account's key as the database holds it. */
export function issueStoredToken(
  vault: TokenVault,
  { accountId, tokenKeyId }: Pick<Caller, "accountId" | "tokenKeyId">,
  id: number,
): StoredToken {
  const token = issueUserGroupToken(accountId);
  return { ...vault.seal(token, { accountId, id }, tokenKeyId), lookup: vault.lookup(token, tokenKeyId) };
}
