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
interface LogPosition {
  readonly position: bigint;
  readonly row: PositionRow;
}

/** Reads a server's log position over a dedicated connection, so that a busy pool does not delay it. */
class PositionProbe {
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
class StreamingReplica {
  readonly reads: ReplicaReads;
  /** It has replayed everything written before this time; null while unknown. */
  freshAsOf: number | null = null;
  /** Last reported state. */
  isUsable = true;
  readonly #probe: PositionProbe;
  #database: Database | undefined;

  /** @param name unique, also used in the log */
  constructor(
    private readonly options: DatabaseOptions,
    name: string,
  ) {
    this.#probe = new PositionProbe(options.target, "replica");
    this.reads = new ReplicaReads(name, (scope) => {
      if (!this.#database) throw new Error(`${name} is not connected.`);
      return this.#database.of(scope);
    });
  }

  /**
   * Returns the replayed log position; connects on first use.
   * @param primary last known position of the primary
   * @throws Error when the server is unreachable or not a replica of that database
   */
  async probe(primary: LogPosition): Promise<bigint> {
    const { position, row } = await this.#probe.read();
    requireSameDatabase(row, primary.row);
    this.#database ??= await Database.connect(this.options);
    return position;
  }

  async close(): Promise<void> {
    await this.#probe.close();
    await this.#database?.close();
  }
}

/** Returns host and port, without user name and password. */
function addressOf(target: DatabaseOptions["target"]): string {
  if (!("url" in target)) return `${target.host}:${target.port}`;
  // The directory of a Unix socket is in the query parameters.
  const { hostname, port, searchParams } = new URL(target.url.replace("@/", "@localhost/"));
  return `${searchParams.get("host") ?? hostname}:${searchParams.get("port") ?? (port || DEFAULT_PORT)}`;
}

const MAX_INTERVAL_MS = 1_000;
/** Number of probes within the maximum lag. */
const PROBES_PER_LAG = 4;

interface ReplicaLog {
  warn(details: { readonly replica: string; readonly err?: unknown }, message: string): void;
}

/** The primary's log position at a time of this process's clock, so that no two clocks are compared. */
interface Sample extends LogPosition {
  readonly at: number;
}

/**
 * The read replicas of a database. The primary's write position and each replica's replay position are probed periodically: a replica that
 * has replayed a sampled position is as fresh as that sample. An idle primary therefore causes no lag, and when the primary does not
 * respond, all replicas become stale.
 */
export class ReadReplicas {
  readonly #primary: PositionProbe;
  readonly #replicas: readonly StreamingReplica[];
  readonly #intervalMs: number;
  /** Oldest first. */
  #samples: Sample[] = [];
  /** Error of the last probe of the primary, if it failed. */
  #primaryError: unknown;
  #next = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #probes = new Set<Promise<void>>();

  /** @param maxLagMs a replica that lags further behind the primary is not used */
  constructor(
    primary: DatabaseOptions["target"],
    replicas: readonly DatabaseOptions[],
    private readonly maxLagMs: number,
  ) {
    this.#primary = new PositionProbe(primary, "primary");
    this.#replicas = replicas.map(
      (options, index) => new StreamingReplica(options, `${index + 1} at ${addressOf(options.target)}`),
    );
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, maxLagMs / PROBES_PER_LAG);
  }

  /** Number of replicas in use and excluded. */
  get usage(): { readonly in: number; readonly out: number } {
    const out = this.#replicas.filter(({ isUsable }) => !isUsable).length;
    return { in: this.#replicas.length - out, out };
  }

  /** Probes all servers once, then periodically. */
  async start(log: ReplicaLog): Promise<void> {
    await this.#probePrimary();
    await Promise.all(this.#replicas.map((replica) => this.#probe(replica, log)));
    this.#repeat(() => this.#probePrimary());
    // Separate timers: a replica that does not respond must not delay the others.
    for (const replica of this.#replicas) this.#repeat(() => this.#probe(replica, log));
  }

  /** Returns the next fresh replica, round-robin; undefined when there is none. */
  choose(): ReplicaReads | undefined {
    const fresh = this.#replicas.filter((replica) => this.#isFresh(replica));
    this.#next += 1;
    return fresh[this.#next % fresh.length]?.reads;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#probes);
    await Promise.all([this.#primary.close(), ...this.#replicas.map((replica) => replica.close())]);
  }

  #repeat(probe: () => Promise<void>): void {
    let isProbing = false;
    const timer = setInterval(() => {
      if (isProbing) return;
      isProbing = true;
      const probing = probe().finally(() => {
        isProbing = false;
        this.#probes.delete(probing);
      });
      this.#probes.add(probing);
    }, this.#intervalMs);
    this.#timers.push(timer.unref());
  }

  async #probePrimary(): Promise<void> {
    const at = performance.now();
    try {
      const found = await this.#primary.read();
      this.#samples = [
        ...this.#samples.filter((sample) => at - sample.at <= this.maxLagMs),
        { ...found, at },
      ];
      this.#primaryError = undefined;
    } catch (error) {
      // The samples become stale, which excludes all replicas.
      this.#primaryError = error;
    }
  }

  async #probe(replica: StreamingReplica, log: ReplicaLog): Promise<void> {
    try {
      const primary = this.#samples.at(-1);
      if (primary) {
        const replayed = await replica.probe(primary);
        const passed = this.#samples.findLast(({ position }) => position <= replayed);
        if (passed) replica.freshAsOf = Math.max(passed.at, replica.freshAsOf ?? passed.at);
      }
      this.#report(replica, log, this.#primaryError ?? new Error("it lags too far behind"));
    } catch (error) {
      replica.freshAsOf = null;
      replica.reads.rejectPending();
      this.#report(replica, log, error);
    }
  }

  #isFresh({ freshAsOf }: StreamingReplica): boolean {
    return freshAsOf !== null && performance.now() - freshAsOf <= this.maxLagMs;
  }

  #report(replica: StreamingReplica, log: ReplicaLog, reason: unknown): void {
    const isUsable = this.#isFresh(replica);
    if (isUsable === replica.isUsable) return;
    replica.isUsable = isUsable;
    const { name } = replica.reads;
    if (isUsable) log.warn({ replica: name }, "a replica is in use again");
    else log.warn({ replica: name, err: reason }, "a replica was excluded: its reads go to other servers");
  }
}
