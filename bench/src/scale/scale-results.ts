import type { Sample } from "../compare/measurement.js";
import { markdownTable } from "../markdown-table.js";
import { medianOf, medianRatio } from "../measure.js";
import { BULK, THOUSANDS } from "./scale-upserts.js";

/** By how much the largest may take longer than the smallest, and a page or a thousand later than the first. */
const WANTED = 1.5;

/** Times of something that was done at each size, one for each round. */
type Times = ReadonlyMap<number, readonly number[]>;

/** What was measured, by what was done and how many groups there were. */
export class ScaleResults {
  readonly #reads = new Map<string, Map<number, Sample[]>>();
  readonly #upserts = new Map<number, Map<number, number[]>>();

  addRead(workload: string, connections: number, groups: number, sample: Sample): void {
    push(this.#reads, `${workload}\n${connections}`, groups, sample);
  }

  /** @param ms for each thousand */
  addUpsert(thousands: number, groups: number, ms: number): void {
    push(this.#upserts, thousands, groups, ms);
  }

  pointReadTable(names: readonly string[]): string {
    const heads = [
      "requests/s",
      "time × smallest",
      "p50 ms",
      "p50 × smallest",
      "p99 ms",
      "server µs",
      "database µs",
    ];
    const rows = this.#readsOf(names).flatMap(({ name, connections, sizes }) => {
      const seconds = timesOf(sizes, ({ perSecond }) => 1 / perSecond);
      const p50 = timesOf(sizes, (sample) => sample.p50);
      return [...sizes].map(([groups, samples]) => {
        const median = (figure: keyof Sample) => medianOf(samples.map((sample) => sample[figure]));
        return [
          ...[name, connections, count(groups), count(Math.round(median("perSecond")))],
          ...[ratio(seconds, groups), median("p50").toFixed(2), ratio(p50, groups), median("p99").toFixed(2)],
          ...[median("serverUs").toFixed(0), median("databaseUs").toFixed(0)],
        ];
      });
    });
    return markdownTable(["point read", "connections", "groups", ...heads], rows);
  }

  /** @param names pages of one list stand one after the other, the first one first */
  pageTable(names: readonly string[]): string {
    const pages = this.#readsOf(names);
    const rows = pages.flatMap(({ name, sizes }) => {
      const p50 = timesOf(sizes, (sample) => sample.p50);
      return [...sizes].map(([groups, samples]) => [
        ...[name, count(groups), medianOf(p50.get(groups) ?? []).toFixed(2)],
        medianOf(samples.map(({ p99 }) => p99)).toFixed(2),
        this.#againstFirstPage(name, groups).toFixed(2),
        ratio(p50, groups),
      ]);
    });
    return markdownTable(["page", "groups", "p50 ms", "p99 ms", "p50 × first page", "p50 × smallest"], rows);
  }

  upsertTable(): string {
    const rows = [...this.#upserts].flatMap(([thousands, sizes]) =>
      [...sizes].map(([groups, ms]) => [
        ...[count(thousands * BULK), count(groups), medianOf(ms).toFixed(0)],
        ...[
          medianRatio(ms, this.#upserts.get(THOUSANDS[0] ?? 1)?.get(groups) ?? []).toFixed(2),
          ratio(sizes, groups),
        ],
      ]),
    );
    return markdownTable(["upserted", "groups", "ms per thousand", "× one thousand", "× smallest"], rows);
  }

  targetTable(pointReads: readonly string[], pages: readonly string[]): string {
    const reads = this.#readsOf(pointReads).map(({ name, connections, sizes }) => {
      const times = timesOf(sizes, (sample) => (connections === "1" ? sample.p50 : 1 / sample.perSecond));
      const what = connections === "1" ? "p50" : "time per request";
      return [
        `${name}, ${connections} connections: ${what} at the largest ÷ smallest`,
        atMost(times),
      ] as const;
    });
    const paging = this.#readsOf(pages).map(({ name, sizes }) => {
      const largest = Math.max(...sizes.keys());
      return [`${name}: p50 ÷ first page, at the largest`, this.#againstFirstPage(name, largest)] as const;
    });
    const upserts = [...this.#upserts].flatMap(([thousands, sizes]) => {
      const largest = Math.max(...sizes.keys());
      const single = this.#upserts.get(THOUSANDS[0] ?? 1)?.get(largest) ?? [];
      const what = `upsert of ${count(thousands * BULK)}: ms per thousand`;
      return [
        [`${what} at the largest ÷ smallest`, atMost(sizes)] as const,
        ...(thousands === THOUSANDS[0]
          ? []
          : [
              [
                `${what} ÷ of one thousand, at the largest`,
                medianRatio(sizes.get(largest) ?? [], single),
              ] as const,
            ]),
      ];
    });
    return markdownTable(
      ["target", "wanted", "measured", "outcome"],
      [...reads, ...paging.filter(([name]) => !name.startsWith("first")), ...upserts].map(
        ([name, measured]) => [
          ...[name, `≤ ${WANTED}`, measured.toFixed(2), measured <= WANTED ? "reached" : "NOT reached"],
        ],
      ),
    );
  }

  #againstFirstPage(name: string, groups: number): number {
    const first = name.replace(/^\w+/, "first");
    const p50 = (page: string) =>
      (this.#reads.get(`${page}\n1`)?.get(groups) ?? []).map((sample) => sample.p50);
    return medianRatio(p50(name), p50(first));
  }

  #readsOf(names: readonly string[]) {
    return [...this.#reads].flatMap(([key, sizes]) => {
      const [name = "", connections = ""] = key.split("\n");
      return names.includes(name) ? [{ name, connections, sizes }] : [];
    });
  }
}

function push<Key, Value>(
  results: Map<Key, Map<number, Value[]>>,
  key: Key,
  groups: number,
  value: Value,
): void {
  const sizes = results.get(key) ?? new Map<number, Value[]>();
  results.set(key, sizes);
  const values = sizes.get(groups) ?? [];
  sizes.set(groups, values);
  values.push(value);
}

function timesOf(sizes: ReadonlyMap<number, readonly Sample[]>, timeOf: (sample: Sample) => number): Times {
  return new Map([...sizes].map(([groups, samples]) => [groups, samples.map(timeOf)]));
}

function ratio(times: Times, groups: number): string {
  const smallest = times.get(Math.min(...times.keys())) ?? [];
  return medianRatio(times.get(groups) ?? [], smallest).toFixed(2);
}

/** Of the largest size, by the smallest. */
function atMost(times: Times): number {
  return Number(ratio(times, Math.max(...times.keys())));
}

function count(number: number): string {
  return number.toLocaleString("en");
}
