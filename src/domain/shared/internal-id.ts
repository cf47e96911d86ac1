/** PostgreSQL's largest integer: internal ids, and the numbers of revisions, lie between 1 and it. */
const MAX_ID = 2_147_483_647;

/** The internal id, or the number of a revision, that a text spells (canonical decimal), or null. */
export function parseInternalId(text: string): number | null {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) return null;
  const id = Number(text);
  return id <= MAX_ID ? id : null;
}
