import { Pool } from "pg";
import { clientOptions, type DatabaseOptions } from "../shared/database-options.js";
import { Database } from "./database.js";
import { ReplicaReads } from "./replica-reads.js";

const TIMEOUT_MS = 2_000;
const DEFAULT_PORT = 5432;

/** Identity of the server, database and role: must be the same on the replica as on the primary, and so must the timeline. */
const IDENTITY = `(SELECT system_identifier FROM pg_control_system()) AS "system", current_database() AS "database", current_user AS "role"`;
const WRITTEN = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS "position",
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS "timeline", ${IDENTITY}`;
// The timeline of the last restart point: a replica is accepted after a failover a little late rather than early.
const REPLAYED = `SELECT (SELECT lpad(upper(to_hex(timeline_id)), 8, '0') FROM pg_control_checkpoint()) AS "timeline",
  CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text END AS "position", ${IDENTITY}`;

interface PositionRow {
  readonly position: string | null;
  readonly system: string;
  readonly timeline: string;
  readonly database: string;
  readonly role: string;
}

/** Position up to which a server has written or replayed the write-ahead log. */
export interface LogPosition {
  readonly position: bigint;
  readonly row: PositionRow;
}

/** Reads a server's log position over a dedicated connection, so that a busy pool does not delay it. */
export class PositionProbe {
  readonly #pool: Pool;
  readonly #text: string;

  constructor(target: DatabaseOptions["target"], kind: "primary" | "replica") {
    this.#text = kind === "primary" ? WRITTEN : REPLAYED;
    this.#pool = new Pool({
      ...clientOptions(target),
      application_name: "user-groups replica watch",
      max: 1,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    // The next probe reports the error.
    this.#pool.on("error", () => undefined);
  }

  /** @throws the driver's error; Error when the server is expected to be a replica and is not */
  async read(): Promise<LogPosition> {
    const { rows } = await this.#pool.query<PositionRow>(this.#text);
    const [row] = rows;
    if (!row || row.position === null) throw new Error("it is not a streaming replica");
    return { position: BigInt(row.position), row };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** @throws Error when the replica does not replicate this database, or the role differs */
function requireSameDatabase(replica: PositionRow, primary: PositionRow): void {
  if (replica.system !== primary.system) throw new Error("it is a replica of another primary");
  for (const name of ["timeline", "database", "role"] as const) {
    if (replica[name] !== primary[name])
      throw new Error(`its ${name} is ${replica[name]}, not ${primary[name]}`);
  }
}

/** A PostgreSQL streaming replica. */
export class StreamingReplica {
  readonly reads: ReplicaReads;
  readonly #options: DatabaseOptions;
  readonly #probe: PositionProbe;
  #database: Database | undefined;

  /** @param name unique, also used in the log */
  constructor(options: DatabaseOptions, name: string) {
    this.#options = options;
    this.#probe = new PositionProbe(options.target, "replica");
    this.reads = new ReplicaReads(name, (scope) => this.#connected().of(scope));
  }

  /**
   * Returns the replayed log position; connects on first use.
   * @param primary last known position of the primary
   * @throws Error when the server is unreachable or not a replica of that database
   */
  async probe(primary: LogPosition): Promise<bigint> {
    const { position, row } = await this.#probe.read();
    requireSameDatabase(row, primary.row);
    this.#database ??= await Database.connect(this.#options);
    return position;
  }

  async close(): Promise<void> {
    await this.#probe.close();
    await this.#database?.close();
  }

  #connected(): Database {
    if (this.#database) return this.#database;
    throw new Error(`${this.reads.name} is not connected.`);
  }
}

/** Returns host and port, without user name and password. */
export function addressOf(target: DatabaseOptions["target"]): string {
  if (!("url" in target)) return `${target.host}:${target.port}`;
  // The directory of a Unix socket is in the query parameters.
  const { hostname, port, searchParams } = new URL(target.url.replace("@/", "@localhost/"));
  return `${searchParams.get("host") ?? hostname}:${searchParams.get("port") ?? (port || DEFAULT_PORT)}`;
}
