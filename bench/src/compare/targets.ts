import { markdownTable } from "../markdown-table.js";
import { medianOf, medianRatio } from "../measure.js";
import { OURS } from "./contestants.js";
import type { Sample } from "./measurement.js";
import type { Course, Results } from "./results.js";
import { BULK } from "./upsert-workloads.js";

interface Target {
  readonly title: string;
  /** What ours is by what it is compared with; NaN when it was not measured. */
  readonly ratio: number;
  readonly least?: number;
  readonly most?: number;
}

const GRAPHQL_PEERS = ["postgraphile", "mercurius", "mercurius-jit", "yoga", "plain"];
const USUAL = 32;

/** Says which goals were reached, of those that were measured. */
export function targetTable(results: Results): string {
  const measured = targetsOf(results).filter(({ ratio }) => !Number.isNaN(ratio));
  if (measured.length === 0) return "No target was measured.";
  return markdownTable(
    ["target", "wanted", "measured", "outcome"],
    measured.map(({ title, ratio, least, most }) => [
      title,
      least === undefined ? `≤ ${most}` : `≥ ${least}`,
      ratio.toFixed(2),
      ratio >= (least ?? 0) && ratio <= (most ?? Number.POSITIVE_INFINITY) ? "reached" : "NOT reached",
    ]),
  );
}

function targetsOf(results: Results): readonly Target[] {
  const faster = (workload: string, contestant: string, least: number, connections = USUAL): Target => ({
    title: `${workload}, ${connections} connection${connections === 1 ? "" : "s"}: requests/s of ours ÷ ${contestant}`,
    ratio: ratioOf(results, { workload, contestant, connections, half: false }, "perSecond"),
    least,
  });
  return [
    faster("rest-get", "constant", 0.8),
    faster("rest-get", "prepared", 2),
    faster("rest-get", "prepared", 0.9, 1),
    faster("graphql-one", "plain", 3.5),
    faster("graphql-one", "postgraphile", 2.5),
    faster("graphql-one", "mercurius-jit", 2),
    faster("graphql-list-50", "plain", 2.5),
    ...GRAPHQL_PEERS.filter((peer) => peer !== "plain").map((peer) => faster("graphql-list-50", peer, 1)),
    faster("rest-create", "insert", 2),
    {
      title: "graphql-upsert-1000 ÷ graphql-upsert-1, 1 connection: groups/s",
      ratio: BULK * upsertRatio(results),
      least: 20,
    },
    tail(results, "rest-get", ["prepared"]),
    tail(results, "graphql-one", GRAPHQL_PEERS),
  ];
}

/** Ours by another, within the rounds. */
function ratioOf(results: Results, course: Course, figure: keyof Sample): number {
  const ours = results.figures({ ...course, contestant: OURS }, figure);
  const theirs = results.figures(course, figure);
  return ours && theirs ? medianRatio(ours, theirs) : Number.NaN;
}

function upsertRatio(results: Results): number {
  const [bulk, single] = ["graphql-upsert-1000", "graphql-upsert-1"].map((workload) =>
    results.figures({ workload, contestant: OURS, connections: 1, half: false }, "perSecond"),
  );
  return bulk && single ? medianRatio(bulk, single) : Number.NaN;
}

/** The slowest hundredth at half of the load, compared with the best of the peers that were measured. */
function tail(results: Results, workload: string, peers: readonly string[]): Target {
  const course = (contestant: string) => ({ workload, contestant, connections: USUAL, half: true });
  const [best] = peers
    .flatMap((name) => {
      const figures = results.figures(course(name), "p99");
      return figures ? [{ name, p99: medianOf(figures) }] : [];
    })
    .toSorted((one, other) => one.p99 - other.p99);
  return {
    title: `${workload}, half load: p99 of ours ÷ ${best?.name}, the best peer`,
    ratio: best ? ratioOf(results, course(best.name), "p99") : Number.NaN,
    most: 1,
  };
}
