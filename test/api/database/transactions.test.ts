import type { PoolClient } from "pg";
import { PostgresDriver } from "typeorm/driver/postgres/PostgresDriver.js";
import { expect, test } from "vitest";
import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { startService } from "../../support/service/test-service.js";

const service = await startService({ poolSize: 1 });
const { accountId } = await service.createAccount();
const scope: RowScope = { accountId, environment: "Customer" };

const rename: Statement = {
  access: "write",
  text: "UPDATE data_source SET name = $1 WHERE provided_id = 'sales'",
};
const fail: Statement = { access: "read", text: "SELECT 1 / 0" };
const terminate: Statement = { access: "read", text: "SELECT pg_terminate_backend(pg_backend_pid())" };
const unavailable = { code: "unavailable", retryAfter: 1 };

const nameOfSales = async () =>
  (
    await service.query(
      "SELECT name FROM data_source WHERE environment = 'Customer' AND provided_id = 'sales'",
    )
  )[0].name;

test("a transaction with a failed statement is not committed, even if the error is swallowed", async () => {
  const followed: string[] = [];
  const committing = service.database.transaction(scope, async (transaction) => {
    transaction.afterCommit(() => followed.push("commit"));
    await transaction.run(rename, ["Swallowed"]);
    await transaction.run(fail, []).catch(() => undefined);
    await expect(transaction.run(rename, ["Later"])).rejects.toMatchObject({ code: "22012" });
  });
  await expect(committing).rejects.toMatchObject({ code: "22012" });
  expect(followed).toEqual([]);
  expect(await nameOfSales()).toBe("Sales database");
});

test("after-commit callbacks do not run when PostgreSQL answers COMMIT with ROLLBACK", async () => {
  const { driver } = service.database.orm;
  if (!(driver instanceof PostgresDriver)) throw new Error("This is not PostgreSQL's driver.");
  const clients: PoolClient[] = [];
  driver.master.on("acquire", (client: PoolClient) => clients.push(client));
  const followed: string[] = [];
  const committing = service.database.transaction(scope, async (transaction) => {
    transaction.afterCommit(() => followed.push("commit"));
    await transaction.run(rename, ["Aborted"]);
    // Not through the transaction, which does not notice it.
    await clients
      .at(-1)
      ?.query("SELECT 1 / 0")
      .catch(() => undefined);
  });
  await expect(committing).rejects.toThrow("PostgreSQL answered COMMIT with ROLLBACK: nothing was written.");
  expect(followed).toEqual([]);
  expect(await nameOfSales()).toBe("Sales database");
  // The connection can be used again.
  await service.database.of(scope).run(rename, ["Sales database"]);
});

test("a failed savepoint is rolled back while others queue behind it, and the rest is committed", async () => {
  await service.database.transaction(scope, async (transaction) => {
    await transaction.run(rename, ["Kept"]);
    const part = transaction.nested(() =>
      Promise.all([transaction.run(fail, []), transaction.run(rename, ["Undone"])]),
    );
    await expect(part).rejects.toMatchObject({ code: "22012" });
  });
  expect(await nameOfSales()).toBe("Kept");
});

test("a connection lost in a transaction is reported as unavailable at any point", async () => {
  for (const lose of [
    () => service.database.transaction(scope, (transaction) => transaction.run(terminate, [])),
    () => service.database.transaction(scope, (transaction) => transaction.runNested(terminate, [])),
    () => service.database.transaction(scope, (transaction) => transaction.manager.query(terminate.text)),
    () =>
      service.database.transaction(scope, async (transaction) => {
        await transaction.run(terminate, []).catch(() => undefined);
      }),
    () =>
      service.database.transaction(scope, async (transaction) => {
        await transaction.run(terminate, []).catch(() => undefined);
        await expect(transaction.nested(async () => undefined)).rejects.toMatchObject(unavailable);
        await expect(transaction.manager.query("SELECT 1")).rejects.toMatchObject(unavailable);
      }),
  ])
    await expect(lose()).rejects.toMatchObject(unavailable);
});

test("a connection lost at COMMIT is reported as unavailable and not retried", async () => {
  service.statements.length = 0;
  const [connection] = await service.database
    .of(scope)
    .run<{ pid: number }>({ access: "read", text: "SELECT pg_backend_pid() AS pid" }, []);
  const committing = service.database.transaction(scope, async (transaction) => {
    await transaction.run(rename, ["Nobody knows"]);
    await service.query("SELECT pg_terminate_backend($1::integer)", [connection?.pid]);
  });
  await expect(committing).rejects.toMatchObject(unavailable);
  expect(service.statements.filter((text) => text === rename.text)).toHaveLength(1);
  expect(await nameOfSales()).toBe("Kept");
});
