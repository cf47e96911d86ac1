import { issueCredential, readCredential } from "./credential.js";

const PREFIX = "ugt_";

/** Makes a new user group token (decision 14). */
export function issueUserGroupToken(accountId: number): string {
  return issueCredential(PREFIX, accountId);
}

/** The account a token names, or null for a text that cannot be one of our tokens. */
export function readUserGroupToken(text: string): { readonly accountId: number } | null {
  return readCredential(PREFIX, text);
}

/**
 * Says whether a text can be a token of an account at all. Ours are recognised by prefix, account and checksum; a token
 * without our prefix may have been brought along from elsewhere, so only the database knows.
 */
export function mayBeTokenOf(accountId: number, text: string): boolean {
  return !text.startsWith(PREFIX) || readCredential(PREFIX, text)?.accountId === accountId;
}
