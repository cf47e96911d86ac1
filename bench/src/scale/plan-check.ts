import { type HttpRequest, send } from "../compare/http-request.js";
import { restRequest } from "../compare/rest-workloads.js";
import { newIds, upsertRequest } from "../compare/upsert-workloads.js";
import type { Stage } from "../compare/workload.js";
import { markdownTable } from "../markdown-table.js";
import type { BenchDatabase } from "../postgres.js";
import type { ServerProcess } from "../server-process.js";
import type { SeenPlan, TableAccess } from "./plan-log.js";
import { PAGES, POINT_READS } from "./scale-workloads.js";

/** What holds tenants' rows. */
const TENANT_TABLES = [
  ...["user_group", "mapping_entry", "data_source", "api_key", "audit_entry"],
  ...["webhook_endpoint", "webhook_delivery", "idempotent_request"],
];
/** From so many groups on no statement may read a whole table. */
const MAX_SCANNED = 100_000;
/** What looks at all accounts, on purpose and for nobody's request: their time hangs on the number of keys and endpoints and on the backlog. */
const FOR_ALL_ACCOUNTS = ["api_keys_touch", "webhook_deliveries_claim", "webhook_deliveries_forget"];
/** After five runs PostgreSQL may settle on a plan for all values, where it is left the choice. */
const RUNS = 8;
const SETTINGS = [
  ...["session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0"],
  ...["auto_explain.log_nested_statements = on", "auto_explain.log_format = 'json'"],
  ...["auto_explain.log_settings = on", "auto_explain.log_parameter_max_length = 0"],
  ...["log_statement = 'all'", "log_parameter_max_length = 0"],
];

/** The plans of a size. */
interface PlansOfSize {
  readonly groups: number;
  /** The columns of each index. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
  readonly plans: readonly SeenPlan[];
}

/**
 * Has a process of the service do once more all that was measured, and what else touches a group, while PostgreSQL logs each plan.
 * @param start starts that process
 */
export async function collectPlans(
  stage: Stage,
  name: string,
  start: () => Promise<ServerProcess>,
): Promise<void> {
  const { query } = stage.database;
  // The names of its settings are known only once it is there.
  await query("LOAD 'auto_explain'");
  for (const setting of SETTINGS) await query(`ALTER DATABASE ${name} SET ${setting}`);
  const server = await start();
  try {
    for (const workload of [...POINT_READS, ...PAGES]) {
      const requests = await workload.requests(server, stage, RUNS);
      for (const request of requests.slice(0, RUNS)) await succeed(server, request);
    }
    for (const request of writes(stage)) await succeed(server, request);
  } finally {
    await server.stop();
    await query(`ALTER DATABASE ${name} RESET ALL`);
  }
}

/** The columns of each index, by its name. */
export async function readIndexes({ query }: BenchDatabase): Promise<PlansOfSize["indexes"]> {
  const rows = await query<{ name: string; columns: readonly string[] }>(
    `SELECT indexrelid::regclass::text AS name,
      ARRAY(SELECT pg_get_indexdef(indexrelid, number, true) FROM generate_series(1, indnkeyatts) AS number) AS columns
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** @throws Error when a statement reads a whole table of tenants, or a whole index, which is no better */
export function requireIndexes(sizes: readonly PlansOfSize[]): void {
  const faults = sizes
    .filter(({ groups }) => groups >= MAX_SCANNED)
    .flatMap(({ groups, plans }) =>
      plans
        .filter(({ statement }) => !FOR_ALL_ACCOUNTS.includes(statement))
        .flatMap(({ statement, accesses }) =>
          accesses
            .filter((access) => isOfTenants(access) && access.columns.length === 0)
            .map(({ table, index }) => `${statement} scans all of ${index ?? table} at ${groups} groups`),
        ),
    );
  if (faults.length > 0) throw new Error(`Statements scan whole tables:\n${[...new Set(faults)].join("\n")}`);
}

/** The statements on tenants' tables, each with its plan and the sizes that have it. */
export function planTable(sizes: readonly PlansOfSize[]): string {
  const rows = new Map<string, { readonly cells: readonly string[]; readonly groups: Set<string> }>();
  for (const { groups, plans, indexes } of sizes) {
    for (const plan of plans.filter(({ accesses }) => accesses.some(isOfTenants))) {
      const name = plan.statement.replaceAll("|", "\\|");
      const cells = [name, plan.isGeneric ? "all" : "given", accessText(plan, indexes)];
      const row = rows.get(cells.join("\n")) ?? { cells, groups: new Set() };
      rows.set(cells.join("\n"), row);
      row.groups.add(groups.toLocaleString("en"));
    }
  }
  const inOrder = [...rows.values()].toSorted((one, other) =>
    (one.cells[0] ?? "") < (other.cells[0] ?? "") ? -1 : 1,
  );
  return markdownTable(
    ["statement", "plan for values", "how it reads", "groups"],
    inOrder.map(({ cells, groups }) => [
      ...cells,
      groups.size === sizes.length ? "all sizes" : [...groups].join("; "),
    ]),
  );
}

function* writes({ world }: Stage): Generator<HttpRequest> {
  const [largest] = world.accounts;
  for (let run = 0; run < RUNS; run += 1) {
    const ids = newIds(10);
    yield upsertRequest(largest, ids);
    yield upsertRequest(largest, ids);
    const group = { name: "New Inc.", properties: { region: "EU" } };
    yield restRequest(largest, "GET", { user_group_id: newIds(1).join(), ...group });
  }
  for (const { token } of largest.groups.slice(0, RUNS))
    yield restRequest(largest, "POST", { current_token: token });
}

async function succeed({ url }: ServerProcess, request: HttpRequest): Promise<void> {
  const { status, text } = await send(url, request);
  if (status !== 200 || text.includes('"errors"')) throw new Error(`The service returned ${status}: ${text}`);
}

function isOfTenants({ table, index }: TableAccess): boolean {
  return TENANT_TABLES.some((name) => table === name || index?.startsWith(`${name}_`));
}

function accessText({ nodes, accesses }: SeenPlan, indexes: PlansOfSize["indexes"]): string {
  const reads = accesses.map((access) => {
    const { node, table, index, columns } = access;
    const by = columns.length > 0 ? ` by ${columns.join(", ")}` : "";
    const skipped = skippedOf(access, indexes);
    return `${node} ${index ?? table}${by}${skipped.length > 0 ? ` **skipping ${skipped.join(", ")}**` : ""}`;
  });
  const others = nodes.filter((node) => !accesses.some((access) => access.node === node));
  return [[...new Set(reads)].join("; "), ...(others.length > 0 ? [`(${others.join(", ")})`] : [])].join(" ");
}

/** Columns of an index that the condition leaves open though it names later ones: each of their values is looked up. */
function skippedOf({ index = "", columns }: TableAccess, indexes: PlansOfSize["indexes"]): readonly string[] {
  const all = indexes.get(index) ?? [];
  const last = Math.max(...columns.map((column) => all.indexOf(column)), 0);
  return all.slice(0, last).filter((column) => !columns.includes(column));
}
