import { DomainError } from "../shared/errors.js";

/** Contents of an Authorization header: an API key, or a user group token (decision 15). */
interface Credentials {
  readonly kind: "apiKey" | "userGroupToken";
  readonly secret: string;
}

/** Creates the error for a request without credentials. */
export function missingCredentials(): DomainError {
  return new DomainError(
    "unauthenticated",
    "The Authorization header is missing. Send `Authorization: Token <API_KEY>`.",
  );
}

/**
 * Parses an Authorization header: `Token <API_KEY>` (interface, part 5) or `Bearer <user group token>`. The scheme is case-insensitive.
 * @throws DomainError `unauthenticated` if the header is missing or has another scheme
 */
export function parseCredentials(header: string | undefined): Credentials {
  if (header === undefined || header === "") throw missingCredentials();
  const [, scheme = "", secret] = /^(token|bearer) +(\S+) *$/i.exec(header) ?? [];
  if (secret !== undefined)
    return { kind: scheme.toLowerCase() === "token" ? "apiKey" : "userGroupToken", secret };
  throw new DomainError(
    "unauthenticated",
    "The Authorization header is invalid. Send `Token <API_KEY>` or, in a front end, `Bearer <user group token>`.",
  );
}

/** Returns the API key in an Authorization header, if any. */
export function findApiKey(header: string): string | undefined {
  return /^token +(\S+) *$/i.exec(header)?.[1];
}

/** Parses an Authorization header that must contain an API key. @throws DomainError `unauthenticated` if it has another scheme */
export function parseApiKeyHeader(header: string): string {
  const secret = findApiKey(header);
  if (secret !== undefined) return secret;
  throw new DomainError("unauthenticated", "The Authorization header is invalid. Send `Token <API_KEY>`.");
}
