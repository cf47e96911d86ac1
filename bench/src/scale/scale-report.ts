import { type Results, type Series, show } from "../compare/results.js";
import { markdownTable } from "../markdown-table.js";
import { showRatios } from "../measure.js";

const POINT_HEADS = [
  ...["point read", "connections", "groups", "requests/s", "time × smallest", "p50 ms", "p50 × smallest"],
  ...["p99 ms", "server µs", "database µs"],
];

/** Workload names: point reads, pages and upserts, whose p50 is the time per thousand. */
export interface Kinds {
  readonly points: readonly string[];
  /** Sorted by list, the first page first. */
  readonly pages: readonly string[];
  readonly upserts: readonly string[];
}

/** Formats the results relative to those of the smallest size. */
export function scaleTables(results: Results, { points, pages, upserts }: Kinds): readonly string[] {
  const of = (names: readonly string[]) =>
    results.allSeries().filter(({ workload }) => names.includes(workload));
  const p50 = (series: Series) => show(results.median(series, "p50"), 2);
  const firstPage = (series: Series) => ({ ...series, workload: series.workload.replace(/^\w+/, "first") });
  const firstUpsert = (series: Series) => ({ ...series, workload: upserts[0] ?? "" });
  const sizes = [...new Set(results.allSeries().map(({ contestant }) => Number(contestant)))];
  const at = (size: number, series: Series) => ({ ...series, contestant: String(size) });
  const smallest = (series: Series) => at(Math.min(...sizes), series);
  const growth = (series: Series) => showRatios(results.ratios(series, smallest(series), "p50"));
  // The ratio of rates is the inverse of the ratio of times.
  const slowing = (series: Series) => showRatios(results.ratios(smallest(series), series, "perSecond"));
  const count = ({ contestant }: Series) => Number(contestant).toLocaleString("en");
  const pointRows = of(points).map((series) => [
    ...[series.workload, String(series.connections), count(series)],
    ...[show(results.median(series, "perSecond"), 0), slowing(series), p50(series)],
    ...[growth(series), show(results.median(series, "p99"), 2)],
    ...[show(results.median(series, "serverUs"), 0), show(results.median(series, "databaseUs"), 0)],
  ]);
  const pageRows = of(pages).map((series) => [
    ...[series.workload, count(series), p50(series), show(results.median(series, "p99"), 2)],
    ...[showRatios(results.ratios(series, firstPage(series), "p50")), growth(series)],
  ]);
  const upsertRows = of(upserts).map((series) => [
    ...[series.workload, count(series), show(results.median(series, "p50"), 0)],
    ...[showRatios(results.ratios(series, firstUpsert(series), "p50")), growth(series)],
  ]);
  return [
    markdownTable(POINT_HEADS, pointRows),
    markdownTable(["page", "groups", "p50 ms", "p99 ms", "p50 × first page", "p50 × smallest"], pageRows),
    markdownTable(["upserted", "groups", "ms per thousand", "× one thousand", "× smallest"], upsertRows),
  ];
}
