import type { Delay, ProcessSample } from "./inspector.js";
import { markdownTable } from "./markdown-table.js";
import { medianOf } from "./measure.js";
import type { LoadResult, Outcome } from "./soak-load.js";

/** The state of the process at one moment. */
export interface TimedSample extends ProcessSample {
  readonly second: number;
  /** To the database. */
  readonly connections: number;
}

export interface SoakRun {
  readonly seconds: number;
  readonly cores: number;
  /** At rest, with no garbage. */
  readonly before: TimedSample;
  readonly warmUp: readonly TimedSample[];
  /** Under load, once it was warm. */
  readonly warm: readonly TimedSample[];
  readonly after: TimedSample;
  /** Of all the time that it was warm. */
  readonly delay: Delay;
  readonly warnings: ReadonlyMap<string, number>;
  readonly load: LoadResult;
}

type Figure = (sample: TimedSample) => number;

const PARTS = 5;
/** The median of a part of the run, but the most of what must not pile up. */
const COLUMNS: Readonly<Record<string, (samples: readonly TimedSample[]) => string>> = {
  "RSS MB": (samples) => medianOf(samples.map(rss)).toFixed(1),
  "live heap MB": (samples) => medianOf(samples.map(liveHeap)).toFixed(1),
  "delay p50 ms": (samples) => medianOf(samples.map(({ delay }) => delay.p50)).toFixed(1),
  p99: (samples) => medianOf(samples.map(({ delay }) => delay.p99)).toFixed(1),
  max: (samples) => Math.max(...samples.map(({ delay }) => delay.max)).toFixed(1),
  handles: (samples) => String(Math.max(...samples.map(({ resources }) => sumOf(Object.values(resources))))),
  "database connections": (samples) => String(Math.max(...samples.map(({ connections }) => connections))),
};

/** Shows how the process was in each part of a run, what was answered, and whether anything grew. */
export function reportSoak(run: SoakRun): string {
  return [stateTable(run), outcomeTable(run.load.outcomes), summary(run)].join("\n\n");
}

function stateTable({ before, warmUp, warm, after }: SoakRun): string {
  const length = Math.ceil(warm.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, part) => warm.slice(part * length, (part + 1) * length));
  const rows: readonly (readonly [string, readonly TimedSample[]])[] = [
    ["before, at rest", [before]],
    ["warm-up", warmUp],
    ...parts.map((part, index) => [`part ${index + 1} of ${PARTS}`, part] as const),
    ["after, at rest", [after]],
  ];
  return markdownTable(
    ["", ...Object.keys(COLUMNS)],
    rows.map(([name, samples]) => [name, ...Object.values(COLUMNS).map((show) => show(samples))]),
  );
}

function outcomeTable(outcomes: readonly Readonly<Outcome>[]): string {
  const names = [...new Set(outcomes.map(({ operation }) => operation))].toSorted();
  const rows = names.map((name) => {
    const own = outcomes.filter(({ operation }) => operation === name);
    const each = own.map(({ outcome, count }) => `${outcome}: ${count.toLocaleString("en")}`);
    return [name, totalOf(own).toLocaleString("en"), each.toSorted().join(", ")];
  });
  return markdownTable(["", "times", "outcomes"], rows);
}

function summary({ warm, delay, warnings, load, seconds, cores }: SoakRun): string {
  const total = totalOf(load.outcomes);
  const fifth = Math.ceil(warm.length / PARTS);
  const rssOf = (samples: readonly TimedSample[]) => medianOf(samples.map(rss));
  const secondHalf = warm.slice(Math.floor(warm.length / 2));
  const failed = load.outcomes.filter(({ outcome }) => /^(?:5\d\d|wrong|no )/.test(outcome));
  const logged = [...warnings].map(([message, count]) => `${message} (${count})`);
  return [
    `- ${total.toLocaleString("en")} operations in ${seconds} s on ${cores} cores, ${Math.round(total / seconds)} a second; ${load.webhooks.toLocaleString("en")} webhooks arrived.`,
    `- Once warm, RSS grew by ${growthPerMinute(warm, rss)} MB a minute (linear fit), in the second half of that time by ${growthPerMinute(secondHalf, rss)} MB a minute; ${(rssOf(warm.slice(-fifth)) - rssOf(warm.slice(0, fifth))).toFixed(1)} MB from the first to the last fifth. The live heap grew by ${growthPerMinute(warm, liveHeap)} MB a minute.`,
    `- Event loop delay once warm: p50 ${delay.p50.toFixed(1)} ms, p99 ${delay.p99.toFixed(1)} ms, max ${delay.max.toFixed(1)} ms.`,
    `- Replies with status 5xx, wrong or missing: ${totalOf(failed)}. Warnings logged: ${logged.join(", ") || "none"}.`,
  ].join("\n");
}

/** The slope of the line that fits a figure best. */
function growthPerMinute(samples: readonly TimedSample[], figure: Figure): string {
  const x = sumOf(samples.map(({ second }) => second)) / samples.length;
  const y = sumOf(samples.map(figure)) / samples.length;
  const covariance = sumOf(samples.map((sample) => (sample.second - x) * (figure(sample) - y)));
  return ((60 * covariance) / sumOf(samples.map(({ second }) => (second - x) ** 2))).toFixed(2);
}

function rss({ rssMb }: TimedSample): number {
  return rssMb;
}

function liveHeap({ liveHeapMb }: TimedSample): number {
  return liveHeapMb;
}

function totalOf(outcomes: readonly Readonly<Outcome>[]): number {
  return sumOf(outcomes.map(({ count }) => count));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
