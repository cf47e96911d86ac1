import { beforeEach, expect, test } from "vitest";
import type { Queryable, Statement } from "../../../src/persistence/shared/statement.js";
import { startService } from "../../support/service/test-service.js";

const CONNECTIONS = 3;
/** Slow, so that each connection of the pool gets one. @param test makes the statement unique, as connections keep prepared statements */
const statementsOf = (test: number): Record<"read" | "write", Statement> => ({
  read: { name: `probe_read_${test}`, access: "read", text: "SELECT *, pg_sleep(0.2)::text FROM probe" },
  write: {
    name: `probe_write_${test}`,
    access: "write",
    text: "INSERT INTO probe (value) SELECT 'more' FROM (SELECT pg_sleep(0.2)) AS wait RETURNING *",
  },
});

let tests = 0;
let read: Statement;
let write: Statement;
const service = await startService({ poolSize: CONNECTIONS });

const onAll = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: CONNECTIONS }, work));
const inTransaction = (statement: Statement) =>
  service.database.transaction("operator", (transaction) => transaction.run(statement, []));

/** Lets each connection prepare both statements, then changes the type of a column in their result. */
beforeEach(async () => {
  tests += 1;
  ({ read, write } = statementsOf(tests));
  await service.query(`DROP TABLE IF EXISTS probe; CREATE TABLE probe (value text);
    INSERT INTO probe VALUES ('first'); GRANT ALL ON probe TO PUBLIC`);
  for (const statement of [read, write]) await onAll(() => service.database.run(statement, []));
  await service.query("DELETE FROM probe WHERE value = 'more'");
  await service.query(
    "ALTER TABLE probe ALTER COLUMN value TYPE varchar(100), ADD COLUMN added integer DEFAULT 1",
  );
});

const howToRun: [string, () => Queryable][] = [
  ["in no scope", () => service.database],
  ["in a scope of rows", () => service.database.of("operator")],
];

test.each(howToRun)("a statement %s prepared for an earlier schema succeeds", async (_, db) => {
  await onAll(async () => expect(await db().run(read, [])).toMatchObject([{ value: "first", added: 1 }]));
  await onAll(async () => expect(await db().run(write, [])).toMatchObject([{ value: "more", added: 1 }]));
  expect(await service.query("SELECT count(*)::integer AS n FROM probe")).toEqual([{ n: 1 + CONNECTIONS }]);
});

test("a transaction fails as unavailable, and its connection is not reused", async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => inTransaction(write)));
  expect(outcomes).toMatchObject(
    Array.from({ length: CONNECTIONS }, () => ({ status: "rejected", reason: { code: "unavailable" } })),
  );
  expect(await service.query("SELECT * FROM probe")).toMatchObject([{ value: "first" }]);
  await onAll(async () => expect(await inTransaction(read)).toMatchObject([{ value: "first", added: 1 }]));
});
