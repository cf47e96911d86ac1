import { type Contestant, PGBENCH } from "./contestants.js";
import type { Meter } from "./measurement.js";
import type { CompareOptions } from "./options.js";
import { CONSTANT } from "./rest-workloads.js";
import type { Course, Results } from "./results.js";
import type { Workload } from "./workload.js";

/** Who takes part in a workload. */
export interface Entry {
  readonly workload: Workload;
  readonly contestants: readonly (Contestant | typeof PGBENCH)[];
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
  tell: (line: string) => void,
  results: Results,
): Promise<void> {
  for (const writes of [false, true]) {
    const phase = entries.filter(({ workload }) => workload.writes === writes);
    await warmUp(phase, meter, options);
    const stops = phase.flatMap((entry) => stopsOf(entry, options));
    for (let round = 0; round < options.rounds; round += 1) {
      for (const stop of stops) {
        tell(`${titleOf(stop)}, round ${round + 1} of ${options.rounds}`);
        // Each second round goes backwards, so that nobody always follows the same neighbour.
        const inTurn = round % 2 === 0 ? stop.contestants : stop.contestants.toReversed();
        for (const contestant of inTurn) await measureOnce(stop, contestant, meter, options, results);
      }
    }
  }
}

async function warmUp(
  entries: readonly Entry[],
  meter: Meter,
  { warmUpSeconds }: CompareOptions,
): Promise<void> {
  for (const { workload, contestants } of entries) {
    for (const contestant of contestants) {
      if (contestant === PGBENCH) continue;
      const [connections = USUAL] = workload.connections ?? [];
      const seconds = workload.writes ? workload.leastSeconds : warmUpSeconds;
      await meter.measure(contestant, { workload, connections, seconds, pauseMs: 0 });
    }
  }
}

function stopsOf(entry: Entry, options: CompareOptions): readonly Stop[] {
  const { workload } = entry;
  const numbers = workload.connections ?? options.connections;
  const full = numbers.map((connections) => ({ ...entry, connections, half: false }));
  if (!workload.half || !options.half || !numbers.includes(USUAL)) return full;
  // A database alone, and an app without one, have no latency to be compared with.
  const contestants = entry.contestants.filter(
    (contestant) => contestant !== PGBENCH && !CONSTANT.includes(contestant.name),
  );
  return [...full, { workload, contestants, connections: USUAL, half: true }];
}

async function measureOnce(
  { workload, connections, half }: Stop,
  contestant: Contestant | typeof PGBENCH,
  meter: Meter,
  options: CompareOptions,
  results: Results,
): Promise<void> {
  const course = {
    workload: workload.name,
    contestant: contestant === PGBENCH ? PGBENCH : contestant.name,
    connections,
    half,
  };
  const saturation = results.figures({ ...course, half: false }, "perSecond")?.at(-1);
  const pauseMs = half ? pauseFor(connections, saturation ?? Number.NaN) : 0;
  const seconds = Math.max(options.seconds, workload.leastSeconds, secondsFor(course, options, results));
  results.add(course, await meter.measure(contestant, { workload, connections, seconds, pauseMs }));
}

/** How long connections take for a few replies each, as far as can be told from what was measured before. */
function secondsFor(course: Course, { connections }: CompareOptions, results: Results): number {
  const known = connections.flatMap(
    (number) => results.figures({ ...course, connections: number, half: false }, "perSecond") ?? [],
  );
  const fastest = Math.max(0, ...known.filter((perSecond) => !Number.isNaN(perSecond)));
  // Of the first ones nothing is known.
  if (known.length === 0) return 0;
  return Math.min(LONGEST_SECONDS, Math.ceil((REPLIES * course.connections) / fastest));
}

/** The pause at which connections together send half of what they could: a quarter of the saturated latency remains. */
function pauseFor(connections: number, perSecond: number): number {
  const saturatedMs = (connections * 1000) / perSecond;
  return 2 * saturatedMs - saturatedMs / 4;
}

function titleOf({ workload, connections, half }: Stop): string {
  return `${workload.name}, ${connections} connections${half ? " at half load" : ""}`;
}
