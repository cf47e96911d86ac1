import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import { clientOptions, connectionSettings } from "../../../src/persistence/shared/database-options.js";
import { runInTransaction } from "../../../src/persistence/shared/pipelined-transaction.js";
import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { startService } from "../../support/service/test-service.js";

/** One of them for lookups. */
const CONNECTIONS = 8;
const ACCOUNTS = 5;
/** Longer than the time after which a connection counts as stalled. */
const STALLED_MS = 150;

const service = await startService();
const scopes: RowScope[] = [];
for (let count = 0; count < ACCOUNTS; count += 1) {
  const { accountId } = await service.createAccount();
  scopes.push({ accountId, environment: "Customer" }, { accountId, environment: "Testing" });
}
const OPTIONS = { poolSize: CONNECTIONS, connectTimeoutMs: 5000, statementTimeoutMs: 10_000 };
const connect = (options = {}) => Database.connect({ target: service.target, ...OPTIONS, ...options });
const database = await connect();
afterAll(() => database.close());

/** Each row of data sources that the scope shows. */
const DATA_SOURCES = lookup("data_sources", "SELECT account_id, environment FROM data_source");
const PID = lookup("pid", "SELECT pg_backend_pid() AS pid");
const SLEEP = lookup("sleep", "SELECT pg_backend_pid() AS pid, pg_sleep($1::double precision)::text");

function lookup(name: string, text: string): Statement {
  return { name: `lookup_test_${name}`, isLookup: true, access: "read", text };
}

const pidsOf = async (count: number) => {
  const rows = await Promise.all(
    Array.from({ length: count }, () => database.of("operator").run<{ pid: number }>(PID, [])),
  );
  return new Set(rows.map(([row]) => row?.pid ?? 0));
};

/** Waits until all lookups run on the shared connection: it is opened in the background. @returns its process ID */
async function sharedPid(): Promise<number> {
  let pids = new Set<number>();
  await expect
    .poll(async () => {
      pids = await pidsOf(100);
      return pids.size;
    })
    .toBe(1);
  return Math.max(...pids);
}

test("lookups of many tenants on one connection each read the rows of their own scope", async () => {
  const shared = await sharedPid();
  const pids = new Set<number>();
  await Promise.all(
    Array.from({ length: 250 }, async (_, index) => {
      const scope = scopes[index % scopes.length] ?? "operator";
      const rows = await database
        .of(scope)
        .run<{ account_id: number; environment: string }>(DATA_SOURCES, []);
      expect(rows).toHaveLength(2);
      for (const { account_id: accountId, environment } of rows)
        expect({ accountId, environment }).toEqual(scope);
      const [row] = await database.of(scope).run<{ pid: number }>(PID, []);
      if (row) pids.add(row.pid);
    }),
  );
  // And of the pool's, should the process have been suspended.
  expect(pids).toContain(shared);
});

test("a failing lookup is reported, and does not affect those sent with it", async () => {
  const broken = lookup("broken", "SELECT 1 / $1::integer AS one");
  const [scope = "operator"] = scopes;
  const [first, failed, last] = await Promise.allSettled([
    database.of(scope).run(DATA_SOURCES, []),
    database.of(scope).run(broken, [0]),
    database.of(scope).run(DATA_SOURCES, []),
  ]);
  expect(failed).toMatchObject({ status: "rejected", reason: { code: "22012" } });
  for (const outcome of [first, last])
    expect(outcome).toMatchObject({ status: "fulfilled", value: { length: 2 } });
});

test("a lookup cannot write", async () => {
  const write = lookup("write", "INSERT INTO account (name) VALUES ('written') RETURNING id");
  await expect(database.of("operator").run(write, [])).rejects.toThrow();
  expect(await service.query("SELECT id FROM account WHERE name = 'written'")).toEqual([]);
});

test("a statement does not run when its scope cannot be set, nor in the scope before it", async () => {
  const client = new Client({ ...clientOptions(service.target), pipeline: true });
  await client.connect();
  try {
    const [scope] = scopes;
    if (typeof scope !== "object" || !("accountId" in scope)) throw new Error("The scope has no account.");
    const begin = `BEGIN; SET LOCAL app.account_id = '${scope.accountId}'; SET LOCAL app.environment = 'Customer'`;
    const read = { name: "read", text: "SELECT account_id FROM data_source" };
    const outcomes = await Promise.allSettled([
      runInTransaction(client, begin, read),
      runInTransaction(client, "BEGIN; SET LOCAL statement_timeout = 'invalid'", read),
      runInTransaction(client, "BEGIN", read),
      runInTransaction(client, begin, read),
    ]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: { length: 2 } },
      { status: "rejected", reason: { code: "22023" } },
      { status: "fulfilled", value: [] },
      { status: "fulfilled", value: { length: 2 } },
    ]);
  } finally {
    await client.end();
  }
});

test("a write whose COMMIT fails is reported as failed", async () => {
  const client = new Client({
    ...clientOptions(service.owner),
    ...connectionSettings({ ...OPTIONS, target: service.owner }),
  });
  await client.connect();
  try {
    await client.query("CREATE TABLE deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    const insert = {
      text: "INSERT INTO deferred SELECT 1 FROM generate_series(1, 2) RETURNING id",
      values: [],
    };
    await expect(runInTransaction(client, "BEGIN", insert)).rejects.toMatchObject({ code: "23505" });
    expect(await service.query("SELECT id FROM deferred")).toEqual([]);
  } finally {
    await client.end();
  }
});

test("lookups use the pool while the shared connection does not answer", async () => {
  const shared = await sharedPid();
  const pidBehindSlowLookup = async () => {
    const slow = database.of("operator").run(SLEEP, [0.9]);
    await sleep(STALLED_MS);
    const [pid = 0] = await pidsOf(1);
    await slow;
    return pid;
  };
  // Polled: on a busy machine the slow lookup may have ended before the other one is sent.
  await expect.poll(() => pidBehindSlowLookup()).not.toBe(shared);
});

test("a lookup that exceeds the timeout of the shared connection is repeated in the pool", async () => {
  const shared = await sharedPid();
  const [row] = await database.of("operator").run<{ pid: number }>(SLEEP, [1.5]);
  expect(row?.pid).not.toBe(shared);
  // The connection is still in use.
  expect(await sharedPid()).toBe(shared);
});

test("lookups of a lost connection are repeated in the pool, and the connection is replaced", async () => {
  const shared = await sharedPid();
  const lookups = Array.from({ length: 20 }, () =>
    database.of("operator").run<{ pid: number }>(SLEEP, [0.02]),
  );
  await service.query("SELECT pg_terminate_backend($1::integer)", [shared]);
  for (const [row] of await Promise.all(lookups)) expect(row?.pid).toBeGreaterThan(0);
  expect(await sharedPid()).not.toBe(shared);
});

test("more lookups than the shared connection takes use the pool", async () => {
  const shared = await sharedPid();
  const pids = await pidsOf(1000);
  expect(pids).toContain(shared);
  expect(pids.size).toBeGreaterThan(1);
  expect(pids.size).toBeLessThanOrEqual(CONNECTIONS);
});

test.each([
  ["behind a transaction-mode pooler", { pooled: true }],
  ["with a pool of fewer than four connections", { poolSize: 3 }],
])("%s there is no shared connection", async (_, options) => {
  const other = await connect(options);
  try {
    await Promise.all(Array.from({ length: 20 }, () => other.of("operator").run(PID, [])));
    const { max, used, idle } = other.poolUsage;
    expect(max).toBe({ ...OPTIONS, ...options }.poolSize);
    // All connections that lookups have used are in the pool.
    expect([used, idle]).toEqual([0, max]);
  } finally {
    await other.close();
  }
});
