import { type Course, type Results, show, TARGET_HEADS, targetRow } from "../compare/results.js";
import { markdownTable } from "../markdown-table.js";

/** By how much the largest may take longer than the smallest, and a page or a thousand later than the first. */
const WANTED = { most: 1.5 };
const POINT_HEADS = [
  ...["point read", "connections", "groups", "requests/s", "time × smallest", "p50 ms", "p50 × smallest"],
  ...["p99 ms", "server µs", "database µs"],
];

/** What was done: a point read, a page, or an upsert, whose time for each thousand counts as its p50. */
export interface Kinds {
  readonly points: readonly string[];
  /** Pages of one list stand one after the other, the first one first. */
  readonly pages: readonly string[];
  readonly upserts: readonly string[];
}

/** Shows reads, pages and upserts beside those of the smallest size, and which goals were reached. */
export function scaleTables(results: Results, { points, pages, upserts }: Kinds): readonly string[] {
  const of = (names: readonly string[]) =>
    results.courses().filter(({ workload }) => names.includes(workload));
  const p50 = (course: Course) => show(results.median(course, "p50"), 2);
  const firstPage = (course: Course) => ({ ...course, workload: course.workload.replace(/^\w+/, "first") });
  const firstUpsert = (course: Course) => ({ ...course, workload: upserts[0] ?? "" });
  const sizes = [...new Set(results.courses().map(({ contestant }) => Number(contestant)))];
  const at = (size: number, course: Course) => ({ ...course, contestant: String(size) });
  const smallest = (course: Course) => at(Math.min(...sizes), course);
  const growth = (course: Course) => results.ratio(course, smallest(course), "p50");
  // The rate of the smallest by that of this one is the time of this one by that of the smallest.
  const slowing = (course: Course) => results.ratio(smallest(course), course, "perSecond");
  const count = ({ contestant }: Course) => Number(contestant).toLocaleString("en");
  const pointRows = of(points).map((course) => [
    ...[course.workload, String(course.connections), count(course)],
    ...[show(results.median(course, "perSecond"), 0), show(slowing(course), 2), p50(course)],
    ...[show(growth(course), 2), show(results.median(course, "p99"), 2)],
    ...[show(results.median(course, "serverUs"), 0), show(results.median(course, "databaseUs"), 0)],
  ]);
  const pageRows = of(pages).map((course) => [
    ...[course.workload, count(course), p50(course), show(results.median(course, "p99"), 2)],
    ...[show(results.ratio(course, firstPage(course), "p50"), 2), show(growth(course), 2)],
  ]);
  const upsertRows = of(upserts).map((course) => [
    ...[course.workload, count(course), show(results.median(course, "p50"), 0)],
    ...[show(results.ratio(course, firstUpsert(course), "p50"), 2), show(growth(course), 2)],
  ]);
  const largest = (names: readonly string[]) =>
    of(names).filter(({ contestant }) => Number(contestant) === Math.max(...sizes));
  const targets = [
    ...largest(points).map((course) => {
      const [what, ratio] =
        course.connections === 1 ? ["p50", growth(course)] : ["time per request", slowing(course)];
      return [
        `${course.workload}, ${course.connections} connections: ${what} at the largest ÷ smallest`,
        ratio,
      ] as const;
    }),
    ...largest(pages.filter((name) => !name.startsWith("first"))).map(
      (course) =>
        [
          `${course.workload}: p50 ÷ first page, at the largest`,
          results.ratio(course, firstPage(course), "p50"),
        ] as const,
    ),
    ...largest(upserts).flatMap((course) => [
      [`${course.workload}: ms per thousand at the largest ÷ smallest`, growth(course)] as const,
      ...(course.workload === upserts[0]
        ? []
        : [
            [
              `${course.workload}: ms per thousand ÷ of one thousand, at the largest`,
              results.ratio(course, firstUpsert(course), "p50"),
            ] as const,
          ]),
    ]),
  ];
  return [
    markdownTable(POINT_HEADS, pointRows),
    markdownTable(["page", "groups", "p50 ms", "p99 ms", "p50 × first page", "p50 × smallest"], pageRows),
    markdownTable(["upserted", "groups", "ms per thousand", "× one thousand", "× smallest"], upsertRows),
    markdownTable(
      TARGET_HEADS,
      targets.map(([title, ratio]) => targetRow(title, ratio, WANTED)),
    ),
  ];
}
