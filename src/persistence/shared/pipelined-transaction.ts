import type { ClientBase, QueryConfig } from "pg";

/**
 * Runs a statement in a transaction of its own, in one round trip: all three messages are sent at once. If `begin` fails, PostgreSQL
 * refuses the statement, so it never runs without the settings of `begin`.
 * @param client in pipeline mode
 * @param timeoutMs time after which the connection is destroyed; that of the connection by default
 * @throws the driver's error; after a lost connection, the outcome of a write is unknown
 */
export async function runInTransaction<Row extends object>(
  client: ClientBase,
  begin: string,
  statement: QueryConfig,
  timeoutMs?: number,
): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    let rows: Row[] = [];
    // Callbacks: three promises would cost more than the round trip.
    client.query(begin, (error?: Error) => {
      failure = error;
    });
    client.query<Row>(statement, (error, result) => {
      failure ??= error;
      if (!error) rows = result.rows;
    });
    const commit = { text: "COMMIT", ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }) };
    client.query(commit, (error, result) => {
      failure ??= error;
      if (!failure && result.command !== "COMMIT") failure = notCommitted(result.command);
      if (failure) reject(failure);
      else resolve(rows);
    });
  });
}

/** After a failed statement, PostgreSQL answers COMMIT with ROLLBACK, without an error. @param answer anything but COMMIT */
export function notCommitted(answer: string): Error {
  return new Error(`PostgreSQL answered COMMIT with ${answer}: nothing was written.`);
}
