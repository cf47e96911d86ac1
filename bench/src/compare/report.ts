import { markdownTable } from "../markdown-table.js";
import { OURS } from "./contestants.js";
import { type Results, type Series, show, TARGET_HEADS, targetRow } from "./results.js";
import { BULK } from "./upsert-workloads.js";

const LOAD_HEADS = ["workload", "connections", "contestant", "requests/s"];
const FIGURE_HEADS = ["p50 ms", "p99 ms", "server µs", "database µs", "memory MB"];
const GRAPHQL_PEERS = ["postgraphile", "mercurius", "mercurius-jit", "plain"];
const DEFAULT_CONNECTIONS = 32;
/** Required ratios of requests per second. */
const FASTER: readonly (readonly [
  workload: string,
  contestant: string,
  minRatio: number,
  connections?: number,
])[] = [
  ["rest-get", "constant", 0.85],
  ["rest-get", "prepared", 2.2],
  ["rest-get-tenants", "prepared", 1.4],
  ["rest-get", "prepared", 1, 1],
  ["graphql-one", "mercurius-jit", 1, 1],
  ["graphql-viewer", "mercurius-jit", 1, 1],
  ["graphql-one", "mercurius-jit", 2.5],
  ["graphql-one", "postgraphile", 3],
  ["graphql-one-tenants", "mercurius-jit", 1.8],
  ["graphql-one-tenants", "postgraphile", 3],
  ["graphql-list-50", "mercurius-jit", 1.2],
  ["graphql-tree-100", "mercurius-jit", 1.2],
];

/** Medians of all measurements. @param base the contestant that is compared with the others */
export function resultTable(results: Results, base = OURS): string {
  const rows = results.allSeries().map((series) => {
    const { workload, contestant, connections, half } = series;
    return [
      workload,
      half ? `${connections}, half load` : String(connections),
      contestant,
      show(results.median(series, "perSecond"), 0),
      half || contestant === base
        ? ""
        : show(results.ratio({ ...series, contestant: base }, series, "perSecond"), 2),
      ...[show(results.median(series, "p50"), 2), show(results.median(series, "p99"), 2)],
      ...[show(results.median(series, "serverUs"), 0), show(results.median(series, "databaseUs"), 0)],
      show(results.median(series, "memoryMb"), 0),
    ];
  });
  return markdownTable([...LOAD_HEADS, `${base} ÷ it`, ...FIGURE_HEADS], rows);
}

/** Compares the measurements with the targets. */
export function targetTable(results: Results): string {
  const series = (workload: string, contestant: string, connections: number, half = false): Series => ({
    ...{ workload, contestant, connections, half },
  });
  const faster = FASTER.map(([workload, peer, minRatio, connections = DEFAULT_CONNECTIONS]) => ({
    title: `${workload}, ${connections} connection${connections === 1 ? "" : "s"}: requests/s of ours ÷ ${peer}`,
    ratio: results.ratio(
      series(workload, OURS, connections),
      series(workload, peer, connections),
      "perSecond",
    ),
    wanted: { minRatio },
  }));
  // p99 at half load, compared with the best measured peer.
  const tail = (workload: string, peers: readonly string[]) => {
    const half = (contestant: string) => series(workload, contestant, DEFAULT_CONNECTIONS, true);
    const [best] = peers
      .map((name) => ({ name, p99: results.median(half(name), "p99") }))
      .filter(({ p99 }) => !Number.isNaN(p99))
      .toSorted((one, other) => one.p99 - other.p99);
    return {
      title: `${workload}, half load: p99 of ours ÷ ${best?.name}, the best peer`,
      ratio: results.ratio(half(OURS), half(best?.name ?? ""), "p99"),
      wanted: { maxRatio: 1 },
    };
  };
  const upserts = {
    title: "graphql-upsert-1000 ÷ graphql-upsert-1, 1 connection: groups/s",
    ratio:
      BULK *
      results.ratio(series("graphql-upsert-1000", OURS, 1), series("graphql-upsert-1", OURS, 1), "perSecond"),
    wanted: { minRatio: 20 },
  };
  const tenantTail = {
    title: "rest-get-tenants, 32 connections: p99 of ours ÷ prepared",
    ratio: results.ratio(
      series("rest-get-tenants", OURS, DEFAULT_CONNECTIONS),
      series("rest-get-tenants", "prepared", DEFAULT_CONNECTIONS),
      "p99",
    ),
    wanted: { maxRatio: 0.6 },
  };
  const tails = [
    tail("rest-get", ["prepared"]),
    ...["graphql-one", "graphql-viewer"].map((name) => tail(name, GRAPHQL_PEERS)),
  ];
  const targets = [...faster, upserts, tenantTail, ...tails];
  const measured = targets.filter(({ ratio }) => !Number.isNaN(ratio));
  if (measured.length === 0) return "No target was measured.";
  return markdownTable(
    TARGET_HEADS,
    measured.map(({ title, ratio, wanted }) => targetRow(title, ratio, wanted)),
  );
}
