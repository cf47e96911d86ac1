/** The group that a preview draws, as a page gets it with an embed session. */
export interface Picture {
  readonly name: string;
  /** The group's properties, and the variables of the session in preference to them. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly mapping: readonly { readonly schemaId: string; readonly dataSource: string }[];
}
