/** A data source of an account, shared by both of its environments. */
export interface DataSource {
  readonly id: number;
  readonly providedId: string;
  readonly name: string;
  readonly createdAt: Date;
}

/** Names one data source. */
export type DataSourceRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "providedId"; readonly providedId: string };

/** PostgreSQL's largest integer: internal ids lie between 1 and it. */
const MAX_ID = 2_147_483_647;

/** The internal id that a text spells (canonical decimal), or null. */
export function parseInternalId(text: string): number | null {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) return null;
  const id = Number(text);
  return id <= MAX_ID ? id : null;
}
