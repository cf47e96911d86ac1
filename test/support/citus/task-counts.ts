import type { Database } from "../../../src/persistence/database/database.js";
import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";

interface SentStatement {
  readonly name: string;
  readonly scope: RowScope;
  /** What is sent to Citus. */
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** On how many shards a statement runs. */
interface TaskCount {
  readonly statement: string;
  readonly scope: RowScope;
  readonly tasks: number;
}

/** Records the statements that succeed from now on, one of each text. @returns a function that counts the tasks of each */
export function recordTasks(database: Database): () => Promise<readonly TaskCount[]> {
  const sent = new Map<string, SentStatement>();
  const record = (scope: RowScope, { change, ...plain }: Statement, values: readonly unknown[]) => {
    const statement = { ...plain, text: change?.text ?? plain.text };
    // Those of tests have no name, or one that begins with "test_"; savepoints have no plan.
    const name = statement.name ?? statement.label ?? "test_";
    if (name.startsWith("test_") || !/^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(statement.text))
      return;
    if (!sent.has(statement.text))
      sent.set(statement.text, { name, scope: closed(scope), statement, values });
  };
  const of = database.of.bind(database);
  const transaction = database.transaction.bind(database);
  database.of = (scope, deadline) => {
    const queryable = of(scope, deadline);
    return {
      async run(statement, values) {
        const rows = await queryable.run<never>(statement, values);
        record(scope, statement, values);
        return rows;
      },
    };
  };
  database.transaction = (scope, work) =>
    transaction(scope, (opened) => {
      const run = opened.run.bind(opened);
      opened.run = async (statement, values) => {
        const rows = await run<never>(statement, values);
        record(scope, statement, values);
        return rows;
      };
      return work(opened);
    });
  return async () => {
    const counts: TaskCount[] = [];
    for (const { name, scope, statement, values } of [...sent.values()]) {
      const rows = await transaction(scope, (opened) =>
        opened.run<Record<string, string>>({ access: "write", text: `EXPLAIN ${statement.text}` }, values),
      );
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
      counts.push({
        statement: name,
        scope,
        tasks: Math.max(0, ...tasks),
      });
    }
    return counts;
  };
}

/** The scope without the transaction and the deadline of its request. */
function closed(scope: RowScope): RowScope {
  if (scope === "operator" || !("accountId" in scope)) return scope;
  const { accountId, environment, actor } = scope;
  return { accountId, ...(environment && { environment }), ...(actor && { actor }) };
}
