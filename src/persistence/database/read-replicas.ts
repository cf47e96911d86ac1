import type { DatabaseOptions } from "../shared/database-options.js";
import type { ReplicaReads } from "./replica-reads.js";
import { addressOf, type LogPosition, PositionProbe, StreamingReplica } from "./streaming-replica.js";

const MAX_INTERVAL_MS = 1_000;
/** Number of probes within the maximum lag. */
const PROBES_PER_LAG = 4;

/** Callbacks for replicas that become unusable and usable again. */
export interface ReplicaListener {
  onExcluded(replica: string, reason: unknown): void;
  onRestored(replica: string): void;
}

interface TrackedReplica {
  readonly replica: StreamingReplica;
  /** The replica has replayed everything written before this time; null while unknown. */
  freshAsOf: number | null;
  /** Last reported state. */
  isUsable: boolean;
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
  readonly #tracked: readonly TrackedReplica[];
  readonly #maxLagMs: number;
  readonly #intervalMs: number;
  /** Oldest first. */
  #samples: Sample[] = [];
  /** Error of the last probe of the primary, if it failed. */
  #primaryError: unknown;
  #next = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #probes = new Set<Promise<void>>();

  /**
   * @param maxLagMs a replica that lags further behind the primary is not used
   */
  constructor(primary: DatabaseOptions["target"], replicas: readonly DatabaseOptions[], maxLagMs: number) {
    this.#primary = new PositionProbe(primary, "primary");
    this.#tracked = replicas.map((options, index) => ({
      replica: new StreamingReplica(options, `${index + 1} at ${addressOf(options.target)}`),
      freshAsOf: null,
      isUsable: true,
    }));
    this.#maxLagMs = maxLagMs;
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, maxLagMs / PROBES_PER_LAG);
  }

  /** Probes all servers once, then periodically. */
  async start(listener: ReplicaListener): Promise<void> {
    await this.#probePrimary();
    await Promise.all(this.#tracked.map((tracked) => this.#probe(tracked, listener)));
    this.#repeat(() => this.#probePrimary());
    // Separate timers: a replica that does not respond must not delay the others.
    for (const tracked of this.#tracked) this.#repeat(() => this.#probe(tracked, listener));
  }

  /** Returns the next fresh replica, round-robin; undefined when there is none. */
  choose(): ReplicaReads | undefined {
    const fresh = this.#tracked.filter((tracked) => this.#isFresh(tracked));
    this.#next += 1;
    return fresh[this.#next % fresh.length]?.replica.reads;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#probes);
    await Promise.all([this.#primary.close(), ...this.#tracked.map(({ replica }) => replica.close())]);
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
        ...this.#samples.filter((sample) => at - sample.at <= this.#maxLagMs),
        { ...found, at },
      ];
      this.#primaryError = undefined;
    } catch (error) {
      // The samples become stale, which excludes all replicas.
      this.#primaryError = error;
    }
  }

  async #probe(tracked: TrackedReplica, listener: ReplicaListener): Promise<void> {
    try {
      const primary = this.#samples.at(-1);
      if (primary) {
        const replayed = await tracked.replica.probe(primary);
        const passed = this.#samples.findLast(({ position }) => position <= replayed);
        if (passed) tracked.freshAsOf = Math.max(passed.at, tracked.freshAsOf ?? passed.at);
      }
      this.#report(tracked, listener, this.#primaryError ?? new Error("it lags too far behind"));
    } catch (error) {
      tracked.freshAsOf = null;
      tracked.replica.reads.rejectPending();
      this.#report(tracked, listener, error);
    }
  }

  #isFresh({ freshAsOf }: TrackedReplica): boolean {
    return freshAsOf !== null && performance.now() - freshAsOf <= this.#maxLagMs;
  }

  #report(tracked: TrackedReplica, listener: ReplicaListener, reason: unknown): void {
    const isUsable = this.#isFresh(tracked);
    const { name } = tracked.replica.reads;
    if (tracked.isUsable && !isUsable) listener.onExcluded(name, reason);
    if (!tracked.isUsable && isUsable) listener.onRestored(name);
    tracked.isUsable = isUsable;
  }
}
