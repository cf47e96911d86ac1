/** PostgreSQL's maximum `integer`. */
const MAX_INTEGER = 2_147_483_647;

/** Parses an internal ID in canonical decimal notation, from 1 to 2^53 - 1; null if it is invalid. */
export function parseInternalId(text: string): number | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return isInternalId(id) ? id : null;
}

/** Returns whether a value is an integer from 1 to 2^53 - 1. */
export function isInternalId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** Parses a revision number in canonical decimal notation, from 1 to 2^31 - 1; null if it is invalid. */
export function parseRevisionNumber(text: string): number | null {
  const revision = parseInternalId(text);
  return revision !== null && isRevisionNumber(revision) ? revision : null;
}

/** Returns whether a value is an integer from 1 to 2^31 - 1. */
export function isRevisionNumber(value: unknown): value is number {
  return isInternalId(value) && value <= MAX_INTEGER;
}

/** Returns whether a value is an integer from 1 to 2^31 - 1. */
export function isAccountId(value: unknown): value is number {
  return isInternalId(value) && value <= MAX_INTEGER;
}
