import { escapeLiteral } from "pg";
import type { OpenTransaction } from "../../../src/persistence/database/open-transaction.js";
import { planModeOf } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import type { TestService } from "../service/test-service.js";

/** A plan node of EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON). */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Rows Removed by Filter"?: number;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly "Temp Written Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

export interface RecordedPlan {
  readonly text: string;
  readonly plan: PlanNode;
}

/** Explains every statement that reads for a tenant, as the service plans it. @returns the plans so far */
export function recordPlans({ database }: TestService): RecordedPlan[] {
  const plans: RecordedPlan[] = [];
  const of = database.of.bind(database);
  database.of = (scope) => {
    const queryable = of(scope);
    if (scope === "operator" || !("accountId" in scope) || scope.environment === undefined) return queryable;
    return {
      async run(statement, values) {
        const explain = (transaction: OpenTransaction) => explainIn(transaction, statement, values);
        if (statement.access === "read")
          plans.push({
            text: statement.text,
            plan: await database.transaction(scope, explain),
          });
        return queryable.run(statement, values);
      },
    };
  };
  return plans;
}

/** Explains every statement of a transaction, without running it twice: its generic plan, which is kept while tables grow. */
export function recordWrites({ database }: TestService): RecordedPlan[] {
  const plans: RecordedPlan[] = [];
  const begin = database.transaction.bind(database);
  database.transaction = (scope, work) =>
    begin(scope, (transaction) => {
      const run = transaction.run.bind(transaction);
      transaction.run = async (statement, values) => {
        if (/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(statement.text))
          plans.push({
            text: statement.text,
            plan: await explainWith(
              { run, mode: "force_generic_plan", command: "EXPLAIN (FORMAT JSON)" },
              statement,
              values,
            ),
          });
        return run(statement, values);
      };
      return work(transaction);
    });
  return plans;
}

/** Number of blocks that the statements read. */
export function blocksOf(plans: readonly RecordedPlan[]): number {
  return plans.reduce((sum, { plan }) => sum + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], 0);
}

/** The node and its descendants. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

let preparedCount = 0;

/** Named statements run with a generic plan, so EXPLAIN alone would show another one. */
async function explainIn(
  transaction: OpenTransaction,
  statement: Statement,
  values: readonly unknown[],
): Promise<PlanNode> {
  const run = transaction.run.bind(transaction);
  const how = {
    run,
    mode: planModeOf(statement),
    command: "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)",
  };
  return explainWith(how, statement, values);
}

async function explainWith(
  how: { readonly run: OpenTransaction["run"]; readonly mode: string; readonly command: string },
  statement: Statement,
  values: readonly unknown[],
): Promise<PlanNode> {
  const run = (text: string) =>
    how.run<{ "QUERY PLAN": { Plan: PlanNode }[] }>({ access: "write", text }, []);
  await run(`SET LOCAL plan_cache_mode = ${how.mode}`);
  // Use a new name: prepared statements survive a failed transaction.
  preparedCount += 1;
  const name = `explained_${preparedCount}`;
  await run(`PREPARE ${name} AS ${statement.text}`);
  const literals = values.length === 0 ? "" : `(${values.map(toLiteral).join(", ")})`;
  const [row] = await run(`${how.command} EXECUTE ${name}${literals}`);
  await run(`DEALLOCATE ${name}`);
  await run("SET LOCAL plan_cache_mode = auto");
  const plan = row?.["QUERY PLAN"][0]?.Plan;
  if (!plan) throw new Error("PostgreSQL gave no plan.");
  return plan;
}

export function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'`;
  if (value instanceof Date) return escapeLiteral(value.toISOString());
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      if (item === null) return "NULL";
      if (item instanceof Date) return JSON.stringify(item.toISOString());
      return JSON.stringify(Buffer.isBuffer(item) ? `\\x${item.toString("hex")}` : String(item));
    });
    return escapeLiteral(`{${items.join(",")}}`);
  }
  return escapeLiteral(String(value));
}
