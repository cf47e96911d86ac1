import { PGBENCH } from "./contestants.js";
import { type Contestant, type Meter } from "./measurement.js";
import type { CompareOptions } from "./options.js";
import { CONSTANT } from "./rest-workloads.js";
import type { Course, Results } from "./results.js";
import type { Workload } from "./workload.js";

/** Who takes part in a workload. */
export interface Entry {
  readonly workload: Workload;
  readonly contestants: readonly Contestant[];
}

interface Stop extends Entry {
  readonly connections: number;
  readonly half: boolean;
}

/** A measurement takes as long as a connection needs for so many replies, but not longer than this. */
const REPLIES = 3;
const LONGEST_SECONDS = 6;
/** The load of latency at half of what a contestant can bear. */
const USUAL = 32;

/**
 * Measures in rounds, each of which takes all contestants one after the other: whatever else the machine does falls on all
 * alike. All readings come before all writings, after which the tables are no longer the same.
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
    const stops = phase.flatMap((entry) => stopsOf(entry, options));
    for (let round = 0; round < options.rounds; round += 1) {
      for (const stop of stops) {
        const { workload, connections, half, contestants } = stop;
        const load = `${connections} connections${half ? " at half load" : ""}`;
        report(`${workload.name}, ${load}, round ${round + 1} of ${options.rounds}`);
        for (const contestant of inTurn(contestants, round))
          await measureOnce(stop, contestant, meter, options, results);
      }
    }
  }
}

/** Each second round goes backwards, so that nobody always follows the same neighbour. */
export function inTurn<Any>(list: readonly Any[], round: number): readonly Any[] {
  return round % 2 === 0 ? list : list.toReversed();
}

/** Writes a line of progress. */
export function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function warmUp(entries: readonly Entry[], meter: Meter, options: CompareOptions): Promise<void> {
  for (const { workload, contestants } of entries) {
    for (const contestant of contestants.filter(({ name }) => name !== PGBENCH)) {
      const [connections = USUAL] = workload.connections ?? [];
      const seconds = workload.writes ? (workload.leastSeconds ?? 1) : options.warmUpSeconds;
      await meter.measure(contestant, { workload, connections, seconds });
    }
  }
}

function stopsOf(entry: Entry, options: CompareOptions): readonly Stop[] {
  const { workload } = entry;
  const numbers = workload.connections ?? options.connections;
  const full = numbers.map((connections) => ({ ...entry, connections, half: false }));
  if (!workload.half || !options.half || !numbers.includes(USUAL)) return full;
  // A database alone, and an app without one, have no latency to be compared with.
  const contestants = entry.contestants.filter(({ name }) => ![PGBENCH, ...CONSTANT].includes(name));
  return [...full, { workload, contestants, connections: USUAL, half: true }];
}

async function measureOnce(
  { workload, connections, half }: Stop,
  contestant: Contestant,
  meter: Meter,
  options: CompareOptions,
  results: Results,
): Promise<void> {
  const course = { workload: workload.name, contestant: contestant.name, connections, half };
  const saturation = results.figures({ ...course, half: false }, "perSecond").at(-1) ?? Number.NaN;
  // The pause at which connections together send half of what they could: a quarter of the saturated latency remains.
  const pauseMs = half ? (1.75 * connections * 1000) / saturation : 0;
  const least = Math.max(options.seconds, workload.leastSeconds ?? 1);
  const seconds = Math.max(least, secondsFor(course, options, results));
  results.add(course, await meter.measure(contestant, { workload, connections, seconds, pauseMs }));
}

/** How long connections take for a few replies each, as far as the rounds before show; at first, nothing is known. */
function secondsFor(course: Course, { connections }: CompareOptions, results: Results): number {
  const known = connections.flatMap((number) =>
    results.figures({ ...course, connections: number, half: false }, "perSecond"),
  );
  if (known.length === 0) return 0;
  const fastest = Math.max(0, ...known.filter((perSecond) => !Number.isNaN(perSecond)));
  return Math.min(LONGEST_SECONDS, Math.ceil((REPLIES * course.connections) / fastest));
}
