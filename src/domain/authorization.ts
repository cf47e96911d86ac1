import { DomainError } from "./errors.js";

/**
 * Reads the API key from an Authorization header, `Token <API_KEY>` (interface, part 5; the scheme's case does not matter).
 * @throws DomainError `unauthenticated` when the header is missing or has another scheme
 */
export function readAuthorization(header: string | undefined): string {
  if (header === undefined || header === "") {
    throw new DomainError(
      "unauthenticated",
      "The Authorization header is missing. Send: Authorization: Token <API_KEY>",
    );
  }
  const match = /^token +(\S+) *$/i.exec(header);
  if (!match?.[1]) {
    throw new DomainError("unauthenticated", "The Authorization header must read: Token <API_KEY>");
  }
  return match[1];
}
