/** PostgreSQL's maximum integer: internal IDs and revision numbers are 1 to this value. */
const MAX_ID = 2_147_483_647;

/** Parses an internal ID or revision number in canonical decimal notation; null if it is invalid. */
export function parseInternalId(text: string): number | null {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) return null;
  const id = Number(text);
  return id <= MAX_ID ? id : null;
}
