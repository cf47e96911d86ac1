/** A statement. With a name, each connection prepares it once; the name is its identity: one name, one text. */
export interface Statement {
  readonly name?: string;
  /** What metrics and traces call a statement without a name. */
  readonly label?: string;
  /** `read`: changes and locks nothing, so it may run on a replica, and again after a lost connection. */
  readonly access: "read" | "write";
  readonly text: string;
  /** For the hot statements: rows come as arrays of texts, as PostgreSQL has written them, so that only values that are needed are read. */
  readonly rows?: "text";
  /** Set where PostgreSQL takes a wrong index for values that it does not know: it then plans the statement each time, though it is named. */
  readonly plan?: "forValues";
}

/** Something statements run on: the pool, or one transaction. */
export interface Queryable {
  /** @throws DomainError `unavailable` when the database is out of reach */
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

/** Returns whether a statement changes and locks nothing. */
export function isReadOnly({ access }: Statement): boolean {
  return access === "read";
}

/** The same statement, prepared by no connection. */
export function withoutName({ name, ...statement }: Statement): Statement {
  return name === undefined ? statement : { ...statement, label: name };
}
