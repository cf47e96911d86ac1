import { issueCredential, readCredential } from "../accounts/credential.js";
import { type FieldPath, invalidField } from "../shared/errors.js";

const PREFIX = "ugt_";
/** What begins an API key, which must never be shown to a viewer. */
const API_KEY_PREFIX = "ugk_";

/** Decision 45: what is shorter could be guessed. */
const SHORTEST_GIVEN = 16;
const LONGEST_GIVEN = 512;

/** Makes a new user group token (decision 14). */
export function issueUserGroupToken(accountId: number): string {
  return issueCredential(PREFIX, accountId);
}

/** The account a token names, or null for a text that cannot be one of our tokens. */
export function readUserGroupToken(text: string): { readonly accountId: number } | null {
  return readCredential(PREFIX, text);
}

/**
 * Says whether a text can be a group's token at all. Ours are recognised by prefix and checksum; they may come from another
 * installation, where their account had another number. One without our prefix may have been brought along from elsewhere.
 */
export function mayBeToken(text: string): boolean {
  return !text.startsWith(PREFIX) || readCredential(PREFIX, text) !== null;
}

/** Says whether a token does not lead to its account by itself (decision 45). */
export function isImportedToken(accountId: number, token: string): boolean {
  return readUserGroupToken(token)?.accountId !== accountId;
}

/**
 * Checks a token that a group brings along (decision 45): it must fit into an Authorization header, and be no secret of another kind.
 * @throws DomainError `invalid_field`, which never repeats the token
 */
export function parseGivenToken(value: unknown, field: FieldPath): string {
  if (typeof value !== "string") throw invalidField(field, "must be a string");
  if (value.length < SHORTEST_GIVEN || value.length > LONGEST_GIVEN) {
    throw invalidField(field, `must be ${SHORTEST_GIVEN} to ${LONGEST_GIVEN} characters long`);
  }
  if (!/^[\x21-\x7e]+$/.test(value)) throw invalidField(field, "must be visible ASCII characters, no blanks");
  if (value.startsWith(API_KEY_PREFIX)) throw invalidField(field, "must not be an API key");
  if (!mayBeToken(value)) {
    throw invalidField(field, `begins with ${PREFIX}, but is none of our tokens: its checksum is wrong`);
  }
  return value;
}
