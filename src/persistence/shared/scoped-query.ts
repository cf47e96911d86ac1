import { type ClientBase, type Connection, Query, type QueryResult, type Submittable } from "pg";
import type { ScopeSetter } from "./row-scope.js";

/** What the driver's own query does while its answer comes in. */
interface RunningQuery<Row extends object> {
  callback: ((error: Error | null, result: QueryResult<Row>) => void) | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly _result: object;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

/**
 * A statement that runs within a scope of rows, in one round trip: what sets the scope travels ahead of it, and as nothing but the
 * end of the statement asks for a synchronisation, PostgreSQL takes both for one transaction (frontend/backend protocol, extended
 * query). It stands upon how the driver drives its queries, which is no public interface; hence the exact version of it.
 */
class ScopedQuery<Row extends object> implements Submittable {
  callback: ((error: Error | null, result?: QueryResult<Row>) => void) | undefined;
  readonly #query: RunningQuery<Row>;
  readonly #settings: readonly string[];
  readonly #setter: ScopeSetter;
  /** Whether the answer that comes in is still that of what sets the scope. */
  #settingScope = true;

  /** @param setter when it has a name, the connection has prepared it */
  constructor(
    config: { readonly name?: string; readonly text: string; readonly values: unknown[] },
    settings: readonly string[],
    setter: ScopeSetter,
  ) {
    // A statement without values would otherwise go another way, which has no place for what is ahead of it.
    const extended = { ...config, queryMode: "extended" };
    const query: object = new Query(extended);
    requireDriverQuery<Row>(query);
    query.callback = (error, result) => this.callback?.(error, result);
    this.#query = query;
    this.#settings = settings;
    this.#setter = setter;
  }

  /** The driver notes under this name which statement a connection has parsed. */
  get name(): string | undefined {
    return this.#settingScope ? undefined : this.#query.name;
  }

  get text(): string {
    return this.#query.text;
  }

  /** The driver gives it its type parsers. */
  get _result(): object {
    return this.#query._result;
  }

  submit(connection: Connection): Error | null {
    connection.stream.cork();
    try {
      const { name, text } = this.#setter;
      if (name === null) connection.parse({ name: "", text, types: [] }, true);
      connection.bind({ portal: "", statement: name ?? "", values: [...this.#settings] }, true);
      connection.execute({ portal: "" }, true);
      const fault = this.#query.submit(connection);
      // What was sent ahead waits for an end that will not come.
      if (fault) connection.stream.destroy(fault);
      return fault;
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#query.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    if (!this.#settingScope) this.#query.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    if (!this.#settingScope) this.#query.handleCommandComplete(message, connection);
    this.#settingScope = false;
  }

  handleEmptyQuery(connection: Connection): void {
    this.#query.handleEmptyQuery(connection);
  }

  handleError(error: Error, connection: Connection): void {
    this.#query.handleError(error, connection);
  }

  handleReadyForQuery(connection: Connection): void {
    this.#query.handleReadyForQuery(connection);
  }
}

/**
 * Runs a statement within a scope of rows on a connection that is free.
 * @param settings the values of the setter's placeholders
 */
export async function runScoped<Row extends object>(
  client: ClientBase,
  config: { readonly name?: string; readonly text: string; readonly values: unknown[] },
  settings: readonly string[],
  setter: ScopeSetter,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const query = new ScopedQuery<Row>(config, settings, setter);
    query.callback = (error, result) => {
      if (error) reject(error);
      else resolve(result?.rows ?? []);
    };
    client.query(query);
  });
}

function requireDriverQuery<Row extends object>(query: object): asserts query is RunningQuery<Row> {
  const needed = ["submit", "handleRowDescription", "handleDataRow", "handleCommandComplete", "handleError"];
  if ("_result" in query && needed.every((name) => typeof Reflect.get(query, name) === "function")) return;
  throw new TypeError("The driver's queries are not made as this version of the service expects.");
}
