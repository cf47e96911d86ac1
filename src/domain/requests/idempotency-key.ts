import { invalidField } from "../shared/errors.js";

export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";
/** Response header that marks a stored reply to an earlier request. */
export const REPLAYED_HEADER = "Idempotent-Replayed";

/** Validates the Idempotency-Key header. @throws DomainError `invalid_field` if it is empty, too long or not printable ASCII */
export function parseIdempotencyKey(header: string | readonly string[]): string {
  if (typeof header === "string" && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalidField(["Idempotency-Key"], "must be 1 to 255 printable ASCII characters");
}
