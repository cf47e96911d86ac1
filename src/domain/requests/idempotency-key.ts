import { invalidField } from "../shared/errors.js";

export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";
/** Tells that a reply is the stored one of an earlier request. */
export const REPLAYED_HEADER = "Idempotent-Replayed";

/**
 * Checks the header that makes a repeated request count once.
 * @returns undefined where there is none
 * @throws DomainError `invalid_field` when it is empty, too long or not of printable characters of ASCII
 */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === "string" && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField(["Idempotency-Key"], "must be 1 to 255 printable ASCII characters");
}
