import type { Caller } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import type { StoredToken } from "../../persistence/user-groups/writes.js";

type TokenOwner = Pick<Caller, "accountId" | "tokenKeyId">;

/** Makes a new token for the group with this id, sealed under its account's key as the database holds it. */
export function issueStoredToken(vault: TokenVault, owner: TokenOwner, id: number): StoredToken {
  return storeToken(vault, owner, id, issueUserGroupToken(owner.accountId));
}

/** Seals a token in the same way. */
export function storeToken(
  vault: TokenVault,
  { accountId, tokenKeyId }: TokenOwner,
  id: number,
  token: string,
): StoredToken {
  return { ...vault.seal(token, { accountId, id }, tokenKeyId), lookup: vault.lookup(token, tokenKeyId) };
}
