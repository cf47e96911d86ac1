import type { Delay, ProcessSample } from "./inspector.js";
import { markdownTable } from "./markdown-table.js";
import { medianOf } from "./measure.js";
import type { LoadResult, Outcome } from "./soak-load.js";

/** What the process was like at one moment. */
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

const PARTS = 5;

/** Tells what a run has shown: how the process was in each part of it, what was answered, and whether anything grew. */
export function reportSoak(run: SoakRun): string {
  return [stateTable(run), outcomeTable(run.load.outcomes), summary(run)].join("\n\n");
}

/** By how much a figure grows in a minute: the slope of the line that fits best. */
export function growthPerMinute(points: readonly (readonly [second: number, value: number])[]): number {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = meanOf(points.map(([second]) => second));
  const y = meanOf(points.map(([, value]) => value));
  const covariance = points.reduce((sum, [second, value]) => sum + (second - x) * (value - y), 0);
  return (60 * covariance) / points.reduce((sum, [second]) => sum + (second - x) ** 2, 0);
}

function stateTable({ before, warmUp, warm, after }: SoakRun): string {
  const length = Math.ceil(warm.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, part) => warm.slice(part * length, (part + 1) * length));
  const heads = [
    "",
    "RSS MB",
    "live heap MB",
    "delay p50 ms",
    "p99",
    "max",
    "handles",
    "database connections",
  ];
  return markdownTable(heads, [
    stateRow("before, at rest", [before]),
    stateRow("warm-up", warmUp),
    ...parts.map((part, index) => stateRow(`part ${index + 1} of ${PARTS}`, part)),
    stateRow("after, at rest", [after]),
  ]);
}

/** Of a part of the run: the median, but the most of what must not pile up. */
function stateRow(name: string, samples: readonly TimedSample[]): string[] {
  const median = (figure: (sample: TimedSample) => number) => medianOf(samples.map(figure)).toFixed(1);
  const most = (figure: (sample: TimedSample) => number) => Math.max(...samples.map(figure));
  return [
    name,
    median(({ rssMb }) => rssMb),
    median(({ liveHeapMb }) => liveHeapMb),
    median(({ delay }) => delay.p50),
    median(({ delay }) => delay.p99),
    most(({ delay }) => delay.max).toFixed(1),
    String(most(({ resources }) => Object.values(resources).reduce((sum, count) => sum + count, 0))),
    String(most(({ connections }) => connections)),
  ];
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
  const rssOf = (samples: readonly TimedSample[]) => medianOf(samples.map(({ rssMb }) => rssMb));
  const growth = (samples: readonly TimedSample[], figure: (sample: TimedSample) => number) =>
    growthPerMinute(samples.map((sample) => [sample.second, figure(sample)])).toFixed(2);
  const rss = ({ rssMb }: TimedSample) => rssMb;
  const secondHalf = warm.slice(Math.floor(warm.length / 2));
  const failed = load.outcomes.filter(({ outcome }) => /^(?:5\d\d|wrong|no )/.test(outcome));
  const logged = [...warnings].map(([message, count]) => `${message} (${count})`);
  return [
    `- ${total.toLocaleString("en")} operations in ${seconds} s on ${cores} cores, ${Math.round(total / seconds)} a second; ` +
      `${load.webhooks.toLocaleString("en")} webhooks arrived.`,
    `- Once warm, RSS grew by ${growth(warm, rss)} MB a minute (linear fit), in the second half of that time by ` +
      `${growth(secondHalf, rss)} MB a minute; ` +
      `${(rssOf(warm.slice(-fifth)) - rssOf(warm.slice(0, fifth))).toFixed(1)} MB from the first to the last fifth. ` +
      `The live heap grew by ${growth(warm, ({ liveHeapMb }) => liveHeapMb)} MB a minute.`,
    `- Event loop delay once warm: p50 ${delay.p50.toFixed(1)} ms, p99 ${delay.p99.toFixed(1)} ms, max ${delay.max.toFixed(1)} ms.`,
    `- Answers of 5xx, wrong or missing: ${totalOf(failed)}. Warnings logged: ${logged.join(", ") || "none"}.`,
  ].join("\n");
}

function totalOf(outcomes: readonly Readonly<Outcome>[]): number {
  return outcomes.reduce((sum, { count }) => sum + count, 0);
}
