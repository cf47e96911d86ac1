/** An SQL statement. A named one is prepared once per connection, so a name must always have the same text. */
export interface Statement {
  readonly name?: string;
  /** Name of an unnamed statement in metrics and traces. */
  readonly label?: string;
  /** `read`: changes and locks nothing, so it can be retried after a lost connection. */
  readonly access: "read" | "write";
  readonly text: string;
  /** On Citus, runs instead of `text`, and further statements then record the change (`changeThenRecord`). */
  readonly change?: { readonly text: string; readonly hasHistory: boolean };
  /** Returns rows as arrays of unparsed texts; for hot statements that parse only the values they need. */
  readonly rows?: "text";
  /** Reads few rows by key: runs on a connection that all tenants share (see `LookupConnection`). Must be named. */
  readonly isLookup?: true;
  /** Its time may grow with the account: shorter timeout and fewer connections, except in transactions (decision 55). */
  readonly isSearch?: true;
  /**
   * `forValues` plans the statement for its values on each run although it is named; set where a generic plan may be wrong. `inIndexOrder`
   * reads sorted rows by an index in that order, whatever the statistics.
   */
  readonly plan?: "forValues" | "inIndexOrder";
}

/** Runs statements: on a pool or within a transaction. */
export interface Queryable {
  /** In a transaction: IDs of the user groups that its statements have returned. */
  readonly userGroupIds?: Set<number>;
  /** @throws DomainError `unavailable` when the database is unreachable */
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

export function isReadOnly({ access }: Statement): boolean {
  return access === "read";
}

/** Returns an unnamed copy of the statement, which is not prepared. */
export function withoutName({ name, ...statement }: Statement): Statement {
  return name === undefined ? statement : { ...statement, label: name };
}
