import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { toLiteral } from "../postgres/plan-recorder.js";
import type { TestService } from "../service/test-service.js";

interface SentStatement {
  readonly scope: RowScope;
  /** What is sent to Citus. */
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Records the statements that the service runs from now on, one of each text. @returns a function that counts the tasks of each */
export function recordTasks(service: TestService): () => Promise<readonly (readonly [string, number])[]> {
  const { database } = service;
  const sent = new Map<string, SentStatement>();
  const record = (scope: RowScope, { change, ...plain }: Statement, values: readonly unknown[]) => {
    const statement = { ...plain, text: change ?? plain.text };
    // Savepoints have no plan.
    if (!/^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(statement.text)) return;
    if (!sent.has(statement.text)) sent.set(statement.text, { scope: closed(scope), statement, values });
  };
  const of = database.of.bind(database);
  const transaction = database.transaction.bind(database);
  database.of = (scope, deadline) => {
    const queryable = of(scope, deadline);
    return {
      run(statement, values) {
        record(scope, statement, values);
        return queryable.run(statement, values);
      },
    };
  };
  database.transaction = (scope, work) =>
    transaction(scope, (opened) => {
      const run = opened.run.bind(opened);
      opened.run = (statement, values) => {
        record(scope, statement, values);
        return run(statement, values);
      };
      return work(opened);
    });
  return async () => {
    const counts: [string, number][] = [];
    for (const { scope, statement, values } of [...sent.values()]) {
      const plan = await transaction(scope, async (opened) => {
        const run = (text: string) => opened.run<Record<string, string>>({ access: "write", text }, []);
        await run(`PREPARE counted AS ${statement.text}`);
        const literals = values.length === 0 ? "" : `(${values.map(toLiteral).join(", ")})`;
        const rows = await run(`EXPLAIN EXECUTE counted${literals}`);
        await run("DEALLOCATE counted");
        return rows.map((row) => row["QUERY PLAN"]).join("\n");
      });
      const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
      counts.push([statement.name ?? statement.label ?? statement.text, Math.max(0, ...tasks)]);
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
