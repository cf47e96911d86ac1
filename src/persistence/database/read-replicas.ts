import type { DatabaseOptions } from "../shared/database-options.js";
import type { ReplicaReads } from "./replica-reads.js";
import { type LogPosition, PositionProbe, placeOf, StreamingReplica } from "./streaming-replica.js";

const LONGEST_INTERVAL_MS = 1_000;
/** How often a replica is looked at while the longest lag passes. */
const LOOKS = 4;

/** What is told of replicas. */
export interface ReplicaWatcher {
  onLeftOut(replica: string, reason: unknown): void;
  onBack(replica: string): void;
}

interface Watched {
  readonly replica: StreamingReplica;
  /** It has everything that was written before this moment; null while nothing is known. */
  freshAsOf: number | null;
  /** Whether it may be used, as was told last. */
  isIn: boolean;
}

/** When the database had written how much; times are those of this process, so that no two clocks are compared. */
interface Sample extends LogPosition {
  readonly at: number;
}

/**
 * The replicas of a database. Each is asked time and again how much of the log it has replayed, the database itself how much it has
 * written: whichever has replayed what was written at a moment lacks nothing from before it. So an idle database is no lag, and one that
 * does not answer makes all replicas grow old.
 */
export class ReadReplicas {
  readonly #primary: PositionProbe;
  readonly #watched: readonly Watched[];
  readonly #maxLagMs: number;
  readonly #intervalMs: number;
  /** The oldest first. */
  #samples: Sample[] = [];
  /** Why the database itself does not tell where it stands. */
  #fault: unknown;
  #turn = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #looks = new Set<Promise<void>>();

  /**
   * @param primary the database itself
   * @param maxLagMs how much older than the database what is read may be
   */
  constructor(primary: DatabaseOptions["target"], replicas: readonly DatabaseOptions[], maxLagMs: number) {
    this.#primary = new PositionProbe(primary, "primary");
    this.#watched = replicas.map((options, index) => ({
      replica: new StreamingReplica(options, `${index + 1} at ${placeOf(options.target)}`),
      freshAsOf: null,
      isIn: true,
    }));
    this.#maxLagMs = maxLagMs;
    this.#intervalMs = Math.min(LONGEST_INTERVAL_MS, maxLagMs / LOOKS);
  }

  /** Begins to look after the replicas. None is used before it was looked at. */
  async start(watcher: ReplicaWatcher): Promise<void> {
    await this.#lookAtPrimary();
    await Promise.all(this.#watched.map((watched) => this.#lookAt(watched, watcher)));
    this.#repeat(() => this.#lookAtPrimary());
    // Each by itself: one that does not answer must not keep the others waiting.
    for (const watched of this.#watched) this.#repeat(() => this.#lookAt(watched, watcher));
  }

  /** One that does not lag too much, each in its turn; undefined when there is none. */
  choose(): ReplicaReads | undefined {
    const fresh = this.#watched.filter((watched) => this.#isFresh(watched));
    this.#turn += 1;
    return fresh[this.#turn % fresh.length]?.replica.reads;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#looks);
    await Promise.all([this.#primary.close(), ...this.#watched.map(({ replica }) => replica.close())]);
  }

  #repeat(look: () => Promise<void>): void {
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      const looking = look().finally(() => {
        isLooking = false;
        this.#looks.delete(looking);
      });
      this.#looks.add(looking);
    }, this.#intervalMs);
    this.#timers.push(timer.unref());
  }

  async #lookAtPrimary(): Promise<void> {
    const at = performance.now();
    try {
      const found = await this.#primary.look();
      this.#samples = [
        ...this.#samples.filter((sample) => at - sample.at <= this.#maxLagMs),
        { ...found, at },
      ];
      this.#fault = undefined;
    } catch (error) {
      // The samples grow old, which leaves all replicas out.
      this.#fault = error;
    }
  }

  async #lookAt(watched: Watched, watcher: ReplicaWatcher): Promise<void> {
    try {
      const primary = this.#samples.at(-1);
      if (primary) {
        const replayed = await watched.replica.look(primary);
        const passed = this.#samples.findLast(({ position }) => position <= replayed);
        if (passed) watched.freshAsOf = Math.max(passed.at, watched.freshAsOf ?? passed.at);
      }
      this.#tell(watched, watcher, this.#fault ?? new Error("it lags behind"));
    } catch (error) {
      watched.freshAsOf = null;
      watched.replica.reads.giveUp();
      this.#tell(watched, watcher, error);
    }
  }

  #isFresh({ freshAsOf }: Watched): boolean {
    return freshAsOf !== null && performance.now() - freshAsOf <= this.#maxLagMs;
  }

  #tell(watched: Watched, watcher: ReplicaWatcher, reason: unknown): void {
    const isIn = this.#isFresh(watched);
    const { name } = watched.replica.reads;
    if (watched.isIn && !isIn) watcher.onLeftOut(name, reason);
    if (!watched.isIn && isIn) watcher.onBack(name);
    watched.isIn = isIn;
  }
}
