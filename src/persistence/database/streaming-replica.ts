import { Pool } from "pg";
import { clientOptions, type DatabaseOptions } from "../shared/database-options.js";
import { Database } from "./database.js";
import { ReplicaReads } from "./replica-reads.js";

/** How long one that is asked where it stands may take to answer. */
const TIMEOUT_MS = 2_000;
const DEFAULT_PORT = 5432;

/** Who a server takes us for, where: on a replica it must be the same as on the database itself, and so must the timeline. */
const PLACE = `(SELECT system_identifier FROM pg_control_system()) AS "system", current_database() AS "database", current_user AS "role"`;
const WRITTEN = `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS "position",
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS "timeline", ${PLACE}`;
// Since its last restart point, so that a replica follows a failover a little late rather than early.
const REPLAYED = `SELECT (SELECT lpad(upper(to_hex(timeline_id)), 8, '0') FROM pg_control_checkpoint()) AS "timeline",
  CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text END AS "position", ${PLACE}`;

interface PlaceRow {
  readonly position: string | null;
  readonly system: string;
  readonly timeline: string;
  readonly database: string;
  readonly role: string;
}

/** Up to where a server has written, or replayed, the write-ahead log. */
export interface LogPosition {
  readonly position: bigint;
  readonly row: PlaceRow;
}

/** Asks a server where it stands, over a connection of its own: however much there is to do on the others. */
export class PositionProbe {
  readonly #pool: Pool;
  readonly #text: string;

  /** @param of whether the server is the primary one or a replica of it */
  constructor(target: DatabaseOptions["target"], of: "primary" | "replica") {
    this.#text = of === "primary" ? WRITTEN : REPLAYED;
    this.#pool = new Pool({
      ...clientOptions(target),
      application_name: "user-groups replica watch",
      max: 1,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    // The next look tells of it.
    this.#pool.on("error", () => undefined);
  }

  /** @throws the driver's error; Error for a server that is no replica */
  async look(): Promise<LogPosition> {
    const { rows } = await this.#pool.query<PlaceRow>(this.#text);
    const [row] = rows;
    if (!row || row.position === null) throw new Error("it is no replica: it replays nothing");
    return { position: BigInt(row.position), row };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** @throws Error when the replica is none of the database, or takes us for another role, with other rights */
function requireSamePlace(replica: PlaceRow, primary: PlaceRow): void {
  if (replica.system !== primary.system) throw new Error("it is a replica of another server");
  for (const name of ["timeline", "database", "role"] as const) {
    if (replica[name] !== primary[name])
      throw new Error(`it has the ${name} ${replica[name]}, not ${primary[name]}`);
  }
}

/** One replica that PostgreSQL's streaming replication feeds. */
export class StreamingReplica {
  readonly reads: ReplicaReads;
  readonly #options: DatabaseOptions;
  readonly #probe: PositionProbe;
  #database: Database | undefined;

  /** @param name tells it from all others, in the log too */
  constructor(options: DatabaseOptions, name: string) {
    this.#options = options;
    this.#probe = new PositionProbe(options.target, "replica");
    this.reads = new ReplicaReads(name, (scope) => this.#connected().of(scope));
  }

  /**
   * Tells up to where it has replayed the log; connects, where that is still to do.
   * @param primary what the database itself said last
   * @throws Error when it is out of reach or no replica of that database
   */
  async look(primary: LogPosition): Promise<bigint> {
    const { position, row } = await this.#probe.look();
    requireSamePlace(row, primary.row);
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

/** Where a server is: neither account nor password. */
export function placeOf(target: DatabaseOptions["target"]): string {
  if (!("url" in target)) return `${target.host}:${target.port}`;
  // A Unix socket is named by parameters.
  const { hostname, port, searchParams } = new URL(target.url.replace("@/", "@localhost/"));
  return `${searchParams.get("host") ?? hostname}:${searchParams.get("port") ?? (port || DEFAULT_PORT)}`;
}
