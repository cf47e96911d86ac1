import { readFile, writeFile } from "node:fs/promises";
import { markdownTable } from "../markdown-table.js";
import { ratioChart } from "./chart.js";
import { OURS } from "./contestants.js";
import { ratioTable, resultTable, targetTable } from "./report.js";
import { type Results, type Series, show } from "./results.js";
import { DEFAULT_CONNECTIONS } from "./rounds.js";
import { TENANTS } from "./workload.js";

/** The documents' folder, from the compiled file. */
const ROOT = new URL("../../../../../", import.meta.url);

/** The workloads in the words of the documentation. */
const REQUESTS: Readonly<Record<string, string>> = {
  "rest-get": "get a group over REST",
  "graphql-one": "get a group over GraphQL, with mapping and data sources",
  "graphql-viewer": "a front end reads its group, with mapping and data sources",
  "graphql-list-50": "a page of 50 groups",
  "graphql-tree-100": "a page of 100 groups, with mappings and data sources",
  "rest-create": "create a group over REST",
  "rest-put": "rename a group over REST",
  "rest-rotate": "rotate a token over REST",
  "graphql-upsert-1": "create a group with a mapping over GraphQL",
};
const FIGURE_HEADS = [
  ...["request", "accounts", "requests/s", "p50 ms", "p99 ms", "half load: p50 ms", "p99 ms"],
  ...["service: CPU µs", "PostgreSQL: CPU µs"],
];
/** Processes whose capacity is computed. */
const PROCESSES = [2, 4, 8];
const MICROSECONDS = 1e6;
const SECTION_END = "<!-- end of the measurements -->";

/**
 * Replaces the measurements in docs/performance.md and bench/results.md, and the chart.
 * @param conditions a sentence about the run
 */
export async function savePerformancePage(results: Results, conditions: string): Promise<void> {
  await replaceSections("docs/performance.md", {
    figures: `${figureTable(results)}\n\n${conditions}`,
    capacity: capacityTable(results),
    "equal work": ratioTable(results, "equal"),
    "less work": ratioTable(results, "less"),
  });
  await replaceSections("bench/results.md", {
    targets: targetTable(results),
    "all measurements": `${conditions}\n\n${resultTable(results)}`,
  });
  await writeFile(new URL("docs/images/performance.svg", ROOT), ratioChart(results));
}

/** Rates, latencies and CPU times of our service. */
function figureTable(results: Results): string {
  const rows = measuredRequests(results).map(({ request, accounts, series }) => {
    const half = { ...series, half: true };
    return [
      ...[request, accounts, show(results.median(series, "perSecond"), 0)],
      ...[series, half].flatMap((load) => [
        show(results.median(load, "p50"), 1),
        show(results.median(load, "p99"), 1),
      ]),
      ...[show(results.median(series, "serverUs"), 0), show(results.median(series, "databaseUs"), 0)],
    ];
  });
  return markdownTable(FIGURE_HEADS, rows);
}

/** The measured rate of one process, and that of several, each with a core of its own, from the CPU time per request. */
function capacityTable(results: Results): string {
  const heads = [
    ...["request", "accounts", "1 process, measured", ...PROCESSES.map((count) => `${count}, computed`)],
    "cores of PostgreSQL for each process",
  ];
  const rows = measuredRequests(results).map(({ request, accounts, series }) => {
    const serverUs = results.median(series, "serverUs");
    return [
      ...[request, accounts, show(results.median(series, "perSecond"), 0)],
      ...PROCESSES.map((count) => show((count * MICROSECONDS) / serverUs, 0)),
      show(results.median(series, "databaseUs") / serverUs, 1),
    ];
  });
  return markdownTable(heads, rows);
}

function measuredRequests(results: Results) {
  return Object.entries(REQUESTS).flatMap(([workload, request]) =>
    ["", TENANTS]
      .map((suffix) => ({
        request,
        accounts: suffix === TENANTS ? "1,000" : "1",
        series: seriesOf(`${workload}${suffix}`),
      }))
      .filter(({ series }) => results.figures(series, "perSecond").length > 0),
  );
}

function seriesOf(workload: string): Series {
  return { workload, contestant: OURS, connections: DEFAULT_CONNECTIONS, half: false };
}

/** @throws Error when the document lacks a section */
async function replaceSections(path: string, sections: Readonly<Record<string, string>>): Promise<void> {
  const file = new URL(path, ROOT);
  let text = await readFile(file, "utf8");
  for (const [name, content] of Object.entries(sections)) {
    const start = `<!-- measured by \`npm run bench -- compare --save\`: ${name} -->`;
    const from = text.indexOf(start);
    const to = text.indexOf(SECTION_END, from);
    if (from < 0 || to < 0)
      throw new Error(`${path} has no section "${start}" that ends with "${SECTION_END}".`);
    text = `${text.slice(0, from)}${start}\n\n${content}\n\n${text.slice(to)}`;
  }
  await writeFile(file, text);
}
