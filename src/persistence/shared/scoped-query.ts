import { type ClientBase, type Connection, Query, type QueryResult, type Submittable } from "pg";
import type { ScopeSetter } from "./row-scope.js";

/** The internal interface of the driver's query. */
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
 * Runs a statement within a row scope in one round trip. The scope statement is sent first, without a Sync message, so that PostgreSQL runs
 * both in one implicit transaction (extended query protocol). Relies on internals of the driver, whose version is therefore pinned.
 */
class ScopedQuery<Row extends object> implements Submittable {
  callback: ((error: Error | null, result?: QueryResult<Row>) => void) | undefined;
  readonly #query: RunningQuery<Row>;
  readonly #settings: readonly string[];
  readonly #setter: ScopeSetter;
  /** Whether the reply to the scope statement is still being received. */
  #settingScope = true;

  /** @param setter prepared on the connection if it has a name */
  constructor(
    config: { readonly name?: string; readonly text: string; readonly values: unknown[] },
    settings: readonly string[],
    setter: ScopeSetter,
  ) {
    // Without values the driver would use the simple query protocol, which cannot be preceded by the scope statement.
    const extended = { ...config, queryMode: "extended" };
    const query: object = new Query(extended);
    requireDriverQuery<Row>(query);
    query.callback = (error, result) => this.callback?.(error, result);
    this.#query = query;
    this.#settings = settings;
    this.#setter = setter;
  }

  /** The driver records under this name that the connection has parsed the statement. */
  get name(): string | undefined {
    return this.#settingScope ? undefined : this.#query.name;
  }

  get text(): string {
    return this.#query.text;
  }

  /** The driver sets the type parsers on it. */
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
      const error = this.#query.submit(connection);
      // The scope statement was sent without the Sync that would end it.
      if (error) connection.stream.destroy(error);
      return error;
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
 * Runs a statement within a row scope on an idle connection.
 * @param settings values of the setter's placeholders
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
  const methods = ["submit", "handleRowDescription", "handleDataRow", "handleCommandComplete", "handleError"];
  if ("_result" in query && methods.every((name) => typeof Reflect.get(query, name) === "function")) return;
  throw new TypeError(
    "The installed version of pg is not supported: its queries have an unexpected structure.",
  );
}
