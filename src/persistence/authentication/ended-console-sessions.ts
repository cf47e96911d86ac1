import type { Queryable, Statement } from "../shared/statement.js";

// Raw SQL: an upsert with the database's time. All statements require the operator scope.

/** Unix time in milliseconds, with a fraction: two statements in the same millisecond differ. */
const MILLISECONDS = (time: string) => `(extract(epoch FROM ${time}) * 1000)::double precision`;

const NOW: Statement = {
  name: "console_session_start",
  access: "read",
  text: `SELECT ${MILLISECONDS("clock_timestamp()")} AS now`,
};

const END: Statement = {
  name: "console_session_end",
  access: "write",
  text: `INSERT INTO ended_console_session (lookup, valid_from)
    SELECT DISTINCT lookup, clock_timestamp() FROM unnest($1::bytea[]) AS lookup ORDER BY lookup
    ON CONFLICT (lookup) DO UPDATE SET valid_from = greatest(ended_console_session.valid_from, excluded.valid_from)`,
};

const VALID_FROM: Statement = {
  name: "console_session_valid_from",
  access: "read",
  text: `SELECT ${MILLISECONDS("max(valid_from)")} AS "validFrom" FROM ended_console_session
    WHERE lookup = ANY ($1::bytea[])`,
};

/** Returns the database's time, by which sessions start and end in all processes: Unix time in milliseconds. */
export async function databaseTime(db: Queryable): Promise<number> {
  const [row] = await db.run<{ now: number }>(NOW, []);
  if (!row) throw new Error("PostgreSQL did not return its time.");
  return row.now;
}

/** Ends the sessions with any of these lookup hashes that have started until now. */
export async function endSessions(db: Queryable, lookups: readonly Buffer[]): Promise<void> {
  await db.run(END, [lookups]);
}

/** Returns until when sessions with any of these lookup hashes were ended: Unix time in milliseconds; null if none were. */
export async function sessionsValidFrom(db: Queryable, lookups: readonly Buffer[]): Promise<number | null> {
  const [row] = await db.run<{ validFrom: number | null }>(VALID_FROM, [lookups]);
  return row?.validFrom ?? null;
}
