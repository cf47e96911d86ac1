import type { DataSource, EntityManager } from "typeorm";
import type { Queryable, Statement } from "./statement.js";

/**
 * Creates an entity manager whose statements run on a queryable: within its row scope, with its deadline, metrics and error translation,
 * one round trip each. TypeORM may lock rows and never opens its own connection.
 * @param kind access and label of the statements; `affected` of a result is the number of returned rows
 */
export function createEntityManager(
  orm: DataSource,
  db: Queryable,
  kind: Pick<Statement, "access" | "label">,
): EntityManager {
  const runner = orm.createQueryRunner();
  Object.assign(runner, {
    // The scope's transaction, or that of the single statement.
    isTransactionActive: true,
    async query(text: string, values: readonly unknown[] = [], isStructured = false) {
      const records = await db.run({ ...kind, text }, values);
      return isStructured ? { records, raw: records, affected: records.length } : records;
    },
  });
  return runner.manager;
}
