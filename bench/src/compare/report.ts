import { markdownTable } from "../markdown-table.js";
import { showRatios } from "../measure.js";
import { CONTESTANT_NAMES, OURS, type Work, workOf } from "./contestants.js";
import { type Results, type Series, show, TARGET_HEADS, targetRow } from "./results.js";
import { DEFAULT_CONNECTIONS } from "./rounds.js";

const CPU_HEADS = ["workload", "connections", "contestant", "work", "server µs", "database µs"];
const FIGURE_HEADS = ["p50 ms", "p99 ms", "memory MB"];
const GRAPHQL_PEERS = ["mercurius-jit-rls", "mercurius-jit"];
/** The required ratio to contestants that do equal work. */
const EQUAL_WORK = { minRatio: 1 };
/** Required ratios of requests per second to those that do less. */
const FASTER: readonly (readonly [workload: string, one: string, other: string, minRatio: number])[] = [
  ["rest-get", OURS, "constant", 0.65],
  ["rest-get", "constant", "fastify", 0.85],
  ["rest-get-tenants", OURS, "prepared", 0.95],
  ["graphql-one", OURS, "mercurius-jit", 2.2],
  ["graphql-one-tenants", OURS, "mercurius-jit", 1.2],
  ["graphql-list-50", OURS, "mercurius-jit", 1],
  ["graphql-tree-100", OURS, "mercurius-jit", 1.1],
  ["rest-create-tenants", OURS, "insert", 0.5],
  ["rest-put-tenants", OURS, "prepared", 0.6],
  ["rest-rotate-tenants", OURS, "prepared", 0.6],
];

/** Medians of all measurements. @param base the contestant that is compared with the others */
export function resultTable(results: Results, base = OURS): string {
  const rows = results.allSeries().map((series) => {
    const { workload, contestant, connections, half } = series;
    const ofBase = { ...series, contestant: base };
    const isBase = contestant === base;
    return [
      ...[workload, half ? `${connections}, half load` : String(connections), contestant, workOf(contestant)],
      ...[show(results.median(series, "serverUs"), 0), show(results.median(series, "databaseUs"), 0)],
      isBase ? "" : showRatios(results.ratios(ofBase, series, "serverUs")),
      show(results.median(series, "perSecond"), 0),
      half || isBase ? "" : showRatios(results.ratios(ofBase, series, "perSecond")),
      ...[show(results.median(series, "p50"), 2), show(results.median(series, "p99"), 2)],
      show(results.median(series, "memoryMb"), 0),
    ];
  });
  const heads = [`µs of ${base} ÷ it`, "requests/s", `requests/s of ${base} ÷ it`];
  return markdownTable([...CPU_HEADS, ...heads, ...FIGURE_HEADS], rows);
}

/** The contestants besides ours that do such work, at that number of connections. */
export function comparedSeries(results: Results, work: Work, connections: number): readonly Series[] {
  return results
    .allSeries()
    .filter((series) => series.connections === connections && !series.half)
    .filter(({ contestant }) => contestant !== OURS && workOf(contestant) === work);
}

/** Our figures divided by those of the contestants that do such work. */
export function ratioTable(results: Results, work: Work): string {
  const rows = comparedSeries(results, work, DEFAULT_CONNECTIONS).map((series) => {
    const ours = { ...series, contestant: OURS };
    return [
      ...[series.workload, series.contestant, showRatios(results.ratios(ours, series, "perSecond"))],
      showRatios(results.ratios(ours, series, "serverUs")),
    ];
  });
  return markdownTable(["workload", "contestant", "requests/s of ours ÷ it", "µs of ours ÷ it"], rows);
}

/** Compares the measurements with the targets. */
export function targetTable(results: Results): string {
  const series = (workload: string, contestant: string, connections: number, half = false): Series => ({
    ...{ workload, contestant, connections, half },
  });
  const equal = comparedSeries(results, "equal", DEFAULT_CONNECTIONS)
    .filter(({ contestant }) => CONTESTANT_NAMES.includes(contestant))
    .map((peer) => ({
      title: `${peer.workload}: requests/s of ours ÷ ${peer.contestant}, equal work`,
      ratios: results.ratios({ ...peer, contestant: OURS }, peer, "perSecond"),
      wanted: EQUAL_WORK,
    }));
  const faster = FASTER.map(([workload, one, other, minRatio]) => ({
    title: `${workload}: requests/s of ${one} ÷ ${other}`,
    ratios: results.ratios(
      series(workload, one, DEFAULT_CONNECTIONS),
      series(workload, other, DEFAULT_CONNECTIONS),
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
      ratios: results.ratios(half(OURS), half(best?.name ?? ""), "p99"),
      wanted: { maxRatio: 1.2 },
    };
  };
  const tails = [
    tail("rest-get", ["prepared"]),
    ...["graphql-one", "graphql-viewer"].map((name) => tail(name, GRAPHQL_PEERS)),
  ];
  const measured = [...equal, ...faster, ...tails].filter(({ ratios }) => ratios.length > 0);
  if (measured.length === 0) return "No target was measured.";
  return markdownTable(
    TARGET_HEADS,
    measured.map(({ title, ratios, wanted }) => targetRow(title, ratios, wanted)),
  );
}
