import { issueCredential, parseCredential } from "../accounts/secret-format.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";

const PREFIX = "ugt_";
/** Prefix of API keys, which must never be shown to a viewer. */
const API_KEY_PREFIX = "ugk_";

/** Length limits of imported tokens (decision 45): shorter ones could be guessed. */
const MIN_IMPORTED_LENGTH = 16;
const MAX_IMPORTED_LENGTH = 512;

/** Creates a user group token (decision 14). */
export function issueUserGroupToken(accountId: number): string {
  return issueCredential(PREFIX, accountId);
}

/** Returns the account ID encoded in a token, or null if the text cannot be one of our tokens. */
export function parseUserGroupToken(text: string): { readonly accountId: number } | null {
  return parseCredential(PREFIX, text);
}

/**
 * Returns whether a text can be a user group token. Issued tokens are validated by prefix and checksum; the account ID may be that of
 * another installation. Tokens without our prefix may have been imported.
 */
export function isPlausibleToken(text: string): boolean {
  return !text.startsWith(PREFIX) || parseCredential(PREFIX, text) !== null;
}

/** Returns whether a token does not encode the ID of its account (decision 45). */
export function isImportedToken(accountId: number, token: string): boolean {
  return parseUserGroupToken(token)?.accountId !== accountId;
}

/**
 * Validates an imported token (decision 45): it must fit into an Authorization header and must not be another kind of secret.
 * @throws DomainError `invalid_field`, never containing the token
 */
export function parseImportedToken(value: unknown, field: FieldPath): string {
  if (typeof value !== "string") throw invalidField(field, "must be a string");
  if (value.length < MIN_IMPORTED_LENGTH || value.length > MAX_IMPORTED_LENGTH) {
    throw invalidField(field, `must be ${MIN_IMPORTED_LENGTH} to ${MAX_IMPORTED_LENGTH} characters long`);
  }
  if (!/^[\x21-\x7e]+$/.test(value))
    throw invalidField(field, "must contain only visible ASCII characters and no spaces");
  if (value.startsWith(API_KEY_PREFIX)) throw invalidField(field, "must not be an API key");
  if (!isPlausibleToken(value)) {
    throw invalidField(
      field,
      `starts with \`${PREFIX}\` but has an invalid checksum; the prefix is reserved for tokens of this service`,
    );
  }
  return value;
}

/** An imported token that a group cannot get. The message never contains the token. */
export class ImportedTokenError extends DomainError {
  constructor(
    readonly reason: "token_taken" | "token_differs",
    rule: string,
  ) {
    super("invalid_field", rule, { field: ["token"] });
  }
}
