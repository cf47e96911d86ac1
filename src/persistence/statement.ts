/** A statement. With a name, each connection prepares it once; the name is its identity: one name, one text. */
export interface Statement {
  readonly name?: string;
  /** What metrics and traces call a statement without a name. */
  readonly label?: string;
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

const READ_ONLY =
  /^\s*SELECT\b(?!.*\b(?:FOR (?:NO KEY )?UPDATE|FOR (?:KEY )?SHARE|nextval|pg_notify|INSERT|UPDATE|DELETE)\b)/s;

/** Says whether a statement changes nothing and locks nothing. */
export function isReadOnly({ text }: Statement): boolean {
  return READ_ONLY.test(text);
}
