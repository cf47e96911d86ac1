import type { DataSource, EntityManager, ObjectLiteral, QueryDeepPartialEntity } from "typeorm";
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

/** Inserts an entity and reads it: TypeORM returns a generated `bigint` as text, and nothing for columns without a value. */
export async function insertEntity<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: new () => Entity,
  values: QueryDeepPartialEntity<Entity>,
): Promise<Entity> {
  const { identifiers } = await manager.insert(entity, values);
  return manager.createQueryBuilder(entity, "inserted").whereInIds(identifiers).getOneOrFail();
}
