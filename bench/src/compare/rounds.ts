import { POSTGRAPHILE } from "./contestants.js";
import { type Contestant, type Meter } from "./measurement.js";
import type { CompareOptions } from "./options.js";
import { CONSTANT } from "./rest-workloads.js";
import type { Results, Series } from "./results.js";
import type { Workload } from "./workload.js";

/** A workload with its contestants. */
export interface Entry {
  readonly workload: Workload;
  readonly contestants: readonly Contestant[];
}

interface Step extends Entry {
  readonly connections: number;
  readonly half: boolean;
}

/** A measurement lasts until each connection has this many replies, up to the maximum. */
const REPLIES = 3;
const MAX_SECONDS = 6;
/** Connections for warm-up, half load and comparisons. */
export const DEFAULT_CONNECTIONS = 32;
/** Latency at half load is not meaningful for constant replies, nor a comparison for the slowest peers. */
const NOT_AT_HALF_LOAD = [...CONSTANT, POSTGRAPHILE, "mercurius", "plain"];
/** A contestant is warm when its throughput in this many consecutive windows differs by less than this. */
const STABLE_WINDOWS = 3;
const STABLE_WITHIN = 0.03;
const WINDOW_SECONDS = 1;

/**
 * Measures in rounds, each of which measures all contestants in turn, so that disturbances affect all alike. Read workloads come
 * before write workloads, which change the tables.
 */
export async function measureInRounds(
  entries: readonly Entry[],
  meter: Meter,
  options: CompareOptions,
  results: Results,
): Promise<void> {
  for (const writes of [false, true]) {
    const phase = entries.filter(({ workload }) => (workload.writes ?? false) === writes);
    await warmUp(phase, meter, options);
    const steps = phase.flatMap((entry) => stepsOf(entry, options));
    for (let round = 0; round < options.rounds; round += 1) {
      for (const step of steps) {
        const { workload, connections, half, contestants } = step;
        const load = `${connections} connections${half ? " at half load" : ""}`;
        report(`${workload.name}, ${load}, round ${round + 1} of ${options.rounds}`);
        for (const contestant of inTurn(contestants, round))
          await measureOnce({ ...step, contestant }, meter, options, results);
      }
    }
  }
}

/** Alternates the order of contestants between rounds. */
export function inTurn<Item>(list: readonly Item[], round: number): readonly Item[] {
  return round % 2 === 0 ? list : list.toReversed();
}

/** Writes a line of progress to stderr. */
export function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function warmUp(entries: readonly Entry[], meter: Meter, options: CompareOptions): Promise<void> {
  for (const { workload, contestants } of entries) {
    for (const contestant of contestants) {
      const [connections = DEFAULT_CONNECTIONS] = workload.connections ?? [];
      if (workload.writes) {
        await meter.measure(contestant, { workload, connections, seconds: workload.minSeconds ?? 1 });
        continue;
      }
      const rates: number[] = [];
      while (rates.length * WINDOW_SECONDS < options.warmUpSeconds && !isStable(rates)) {
        const load = { workload, connections, seconds: WINDOW_SECONDS };
        rates.push((await meter.measure(contestant, load)).perSecond);
      }
    }
  }
}

function isStable(rates: readonly number[]): boolean {
  const last = rates.slice(-STABLE_WINDOWS);
  return last.length === STABLE_WINDOWS && Math.max(...last) / Math.min(...last) - 1 < STABLE_WITHIN;
}

function stepsOf(entry: Entry, options: CompareOptions): readonly Step[] {
  const { workload } = entry;
  const numbers = workload.connections ?? options.connections;
  const full = numbers.map((connections) => ({ ...entry, connections, half: false }));
  if (!workload.half || !options.half || !numbers.includes(DEFAULT_CONNECTIONS)) return full;
  const contestants = entry.contestants.filter(({ name }) => !NOT_AT_HALF_LOAD.includes(name));
  return [...full, { workload, contestants, connections: DEFAULT_CONNECTIONS, half: true }];
}

async function measureOnce(
  { workload, connections, half, contestant }: Step & { readonly contestant: Contestant },
  meter: Meter,
  options: CompareOptions,
  results: Results,
): Promise<void> {
  const series = { workload: workload.name, contestant: contestant.name, connections, half };
  const saturation = results.figures({ ...series, half: false }, "perSecond").at(-1) ?? Number.NaN;
  // The pause at which the connections send half of the maximum rate, assuming a quarter of the saturated latency.
  const pauseMs = half ? (1.75 * connections * 1000) / saturation : 0;
  const minSeconds = Math.max(options.seconds, workload.minSeconds ?? 1);
  const seconds = Math.max(minSeconds, secondsFor(series, options, results));
  results.add(series, await meter.measure(contestant, { workload, connections, seconds, pauseMs }));
}

/** The time for a few replies per connection, estimated from previous rounds; 0 without any. */
function secondsFor(series: Series, { connections }: CompareOptions, results: Results): number {
  const known = connections.flatMap((number) =>
    results.figures({ ...series, connections: number, half: false }, "perSecond"),
  );
  if (known.length === 0) return 0;
  const fastest = Math.max(0, ...known.filter((perSecond) => !Number.isNaN(perSecond)));
  return Math.min(MAX_SECONDS, Math.ceil((REPLIES * series.connections) / fastest));
}
