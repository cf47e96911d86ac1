import { markdownTable } from "../markdown-table.js";
import { OURS } from "./contestants.js";
import { type Course, type Results, show, TARGET_HEADS, targetRow } from "./results.js";
import { BULK } from "./upsert-workloads.js";

const HEADS = [
  ...["workload", "connections", "contestant", "requests/s", "ours ÷ it", "p50 ms", "p99 ms"],
  ...["server µs", "database µs", "memory MB"],
];
const GRAPHQL_PEERS = ["postgraphile", "mercurius", "mercurius-jit", "yoga", "plain"];
const USUAL = 32;
/** How many times as many requests ours is to answer. */
const FASTER: readonly (readonly [
  workload: string,
  contestant: string,
  least: number,
  connections?: number,
])[] = [
  ["rest-get", "constant", 0.8],
  ["rest-get", "prepared", 2],
  ["rest-get", "prepared", 0.9, 1],
  ["graphql-one", "plain", 3.5],
  ["graphql-one", "postgraphile", 2.5],
  ["graphql-one", "mercurius-jit", 2],
  ["graphql-list-50", "plain", 2.5],
  ...["postgraphile", "mercurius", "mercurius-jit", "yoga"].map(
    (peer) => ["graphql-list-50", peer, 1] as const,
  ),
  ["rest-create", "insert", 2],
];

/** Medians of all that was measured. */
export function resultTable(results: Results): string {
  const rows = results.courses().map((course) => {
    const { workload, contestant, connections, half } = course;
    return [
      workload,
      half ? `${connections}, half load` : String(connections),
      contestant,
      show(results.median(course, "perSecond"), 0),
      half || contestant === OURS
        ? ""
        : show(results.ratio({ ...course, contestant: OURS }, course, "perSecond"), 2),
      ...[show(results.median(course, "p50"), 2), show(results.median(course, "p99"), 2)],
      ...[show(results.median(course, "serverUs"), 0), show(results.median(course, "databaseUs"), 0)],
      show(results.median(course, "memoryMb"), 0),
    ];
  });
  return markdownTable(HEADS, rows);
}

/** Says which goals were reached, of those that were measured. */
export function targetTable(results: Results): string {
  const course = (workload: string, contestant: string, connections: number, half = false): Course => ({
    ...{ workload, contestant, connections, half },
  });
  const faster = FASTER.map(([workload, peer, least, connections = USUAL]) => ({
    title: `${workload}, ${connections} connection${connections === 1 ? "" : "s"}: requests/s of ours ÷ ${peer}`,
    ratio: results.ratio(
      course(workload, OURS, connections),
      course(workload, peer, connections),
      "perSecond",
    ),
    wanted: { least },
  }));
  // The slowest hundredth at half of the load, compared with the best of the peers that were measured.
  const tail = (workload: string, peers: readonly string[]) => {
    const half = (contestant: string) => course(workload, contestant, USUAL, true);
    const [best] = peers
      .map((name) => ({ name, p99: results.median(half(name), "p99") }))
      .filter(({ p99 }) => !Number.isNaN(p99))
      .toSorted((one, other) => one.p99 - other.p99);
    return {
      title: `${workload}, half load: p99 of ours ÷ ${best?.name}, the best peer`,
      ratio: results.ratio(half(OURS), half(best?.name ?? ""), "p99"),
      wanted: { most: 1 },
    };
  };
  const upserts = {
    title: "graphql-upsert-1000 ÷ graphql-upsert-1, 1 connection: groups/s",
    ratio:
      BULK *
      results.ratio(course("graphql-upsert-1000", OURS, 1), course("graphql-upsert-1", OURS, 1), "perSecond"),
    wanted: { least: 20 },
  };
  const targets = [...faster, upserts, tail("rest-get", ["prepared"]), tail("graphql-one", GRAPHQL_PEERS)];
  const measured = targets.filter(({ ratio }) => !Number.isNaN(ratio));
  if (measured.length === 0) return "No target was measured.";
  return markdownTable(
    TARGET_HEADS,
    measured.map(({ title, ratio, wanted }) => targetRow(title, ratio, wanted)),
  );
}
