import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import { checkPooler } from "../../../src/persistence/database/database-check.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { type FaultProxy, startFaultProxy } from "../../support/faults/fault-proxy.js";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { createTestDatabase, type TestDatabase } from "../../support/postgres/test-database.js";
import {
  hasPgbouncer,
  type Pgbouncer,
  pgbouncerPrepares,
  startPgbouncer,
} from "../../support/programs/pgbouncer.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

let database: TestDatabase;
let proxy: FaultProxy;
let service: TestService;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(database.target);
  service = await startTestService({
    use: { target: proxy.target, owner: database.owner },
    // One connection, so that any damage to it affects the next request.
    poolSize: 1,
    connectTimeoutMs: 1000,
    // The service waits a second longer than that for a reply.
    statementTimeoutMs: 1000,
  });
  key = (await (await service.createAccount()).createKey()).secret;
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});
beforeEach(async () => {
  await rest("GET", { user_group_id: "acme", name: "Acme" });
});

const rest = (method: string, body: object) => callRest(`${service.url}/api/user`, method, key, body);
const graphql = (query: string) => callGraphql(service.url, key, query);

/** Makes a request wait for a lock, and its reply arrive after the service has given up on it. */
async function answerTooLate(table: string, send: () => Promise<RestReply>): Promise<RestReply> {
  const client = new Client(clientOptions(database.owner));
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const sent = send();
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await service.query(waiting)).length, { interval: 5 }).toBe(1);
    proxy.hold();
    await client.query("COMMIT");
    const statementCount = service.statements.length;
    const reply = await sent;
    // The connection is not used again, which would take another timeout.
    expect(service.statements.slice(statementCount)).toEqual([]);
    return reply;
  } finally {
    proxy.pass();
    await client.end();
  }
}

test.each([
  ["a statement", "user_group", () => rest("PUT", { user_group_id: "acme", name: "Unknown" })],
  [
    "a transaction",
    "mapping_entry",
    () => rest("PUT", { user_group_id: "acme", name: "Unknown", mapping: { a: "sales" } }),
  ],
  [
    "a transaction with entities",
    "data_source",
    () =>
      graphql(
        'mutation { createDataSource(input: { providedId: "late", name: "Late" }) { userErrors { code } } }',
      ),
  ],
])(
  "%s whose answer comes too late is a 503, and its connection serves nobody else",
  async (_what, table, send) => {
    expect((await answerTooLate(table, send)).status).toBe(503);
    expect((await rest("PUT", { user_group_id: "acme", name: "Acknowledged" })).status).toBe(200);
    expect(await rest("GET", { user_group_id: "acme" })).toMatchObject({
      status: 200,
      body: { user_group: { name: "Acknowledged" } },
    });
    expect(await service.query("SELECT name FROM user_group")).toEqual([{ name: "Acknowledged" }]);
  },
);

test("the server closes a connection that the network has lost", async () => {
  const text = "SELECT current_setting('idle_session_timeout') AS timeout";
  expect(await service.database.run({ access: "write", text }, [])).toEqual([{ timeout: "20s" }]);
});

test("the shared connection for lookups is closed when it is unused", async () => {
  const service = await startTestService();
  const options = { poolSize: 8, connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const database = await Database.connect({ target: service.target, ...options });
  try {
    const text = "SELECT 1 AS one";
    const lookUp = () =>
      database.of("operator").run({ name: "lookup", isLookup: true, access: "read", text }, []);
    const open =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'user-groups/%' AND query = 'COMMIT'";
    await expect
      .poll(async () => {
        await lookUp();
        return (await service.query(open)).length;
      })
      .toBeGreaterThanOrEqual(2);
    await expect.poll(() => service.query(open), { interval: 500 }).toEqual([]);
    expect(await lookUp()).toEqual([{ one: 1 }]);
  } finally {
    await database.close();
    await service.close();
  }
});

/** Fewer than the concurrent requests, so that connections are shared all the time. */
const POOL = 3;

/** `prepared` as well if the installed version keeps prepared statements. */
const POOLERS = [{ pooled: true }, { pooled: "prepared" as const }].slice(0, pgbouncerPrepares ? 2 : 1);

describe.skipIf(!hasPgbouncer).each(POOLERS)("behind PgBouncer in transaction mode: %o", ({ pooled }) => {
  let direct: TestService;
  let pgbouncer: Pgbouncer;
  let service: TestService;
  let secret: string;

  beforeAll(async () => {
    direct = await startTestService();
    pgbouncer = await startPgbouncer(direct.target, POOL, pooled === "prepared" ? 200 : 0);
    service = await startTestService({
      use: { target: pgbouncer.target, owner: direct.owner },
      pooled,
      listenTarget: direct.target,
    });
    const account = await service.createAccount();
    secret = (await account.createKey()).secret;
  });
  afterAll(async () => {
    await service.close();
    await pgbouncer.close();
    await direct.close();
  });

  const call = (method: string, body: object) => callRest(`${service.url}/api/user`, method, secret, body);

  test("rotations, entities and errors leave no tenant scope on a connection", async () => {
    const { token } = userGroupOf(await call("GET", { user_group_id: "rotated", name: "Rotated" }));
    const rotations = await Promise.all(
      Array.from({ length: 20 }, () => call("POST", { current_token: token })),
    );
    expect(rotations.filter(({ status }) => status === 200)).toHaveLength(1);
    const create =
      'mutation { createDataSource(input: { providedId: "one", name: "One" }) { userErrors { code } } }';
    const created = await Promise.all(
      Array.from({ length: 10 }, () => callGraphql(service.url, secret, create)),
    );
    const taken = created.filter(({ body }) => JSON.stringify(body).includes("DATA_SOURCE_EXISTS"));
    expect(taken).toHaveLength(9);
    expect(await service.database.run({ access: "read", text: "SELECT * FROM user_group" }, [])).toEqual([]);
  });

  test("only a pooler that keeps prepared statements passes the check, and gets named ones with a generic plan", async () => {
    const options = {
      target: pgbouncer.target,
      poolSize: 1,
      connectTimeoutMs: 5000,
      statementTimeoutMs: 0,
    };
    // The second check finds what the first one has left.
    for (let count = 0; count < 2; count += 1) {
      const database = await Database.connect({ ...options, pooled: "prepared" });
      const checked = checkPooler(database);
      if (pooled === "prepared") await expect(checked).resolves.toBeUndefined();
      else await expect(checked).rejects.toThrow("set DATABASE_POOLED=true");
      await database.close();
    }
    const text =
      "SELECT count(*)::integer AS named, current_setting('plan_cache_mode') AS mode FROM pg_prepared_statements WHERE name <> 'pooler_check'";
    const statement = { name: "named", access: "read", text } as const;
    const wanted =
      pooled === "prepared"
        ? { named: expect.any(Number), mode: "force_generic_plan" }
        : { named: 0, mode: "auto" };
    const found = await service.database.of({ accountId: 1 }).run<{ named: number }>(statement, []);
    expect(found).toEqual([wanted]);
    expect(found.every(({ named }) => named > 0)).toBe(pooled === "prepared");
  });

  test("statements have timeouts", async () => {
    const limits = await service.database.of({ accountId: 1 }).run<{ statement: string; lock: string }>(
      {
        access: "read",
        text: `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock`,
      },
      [],
    );
    expect(limits).toEqual([{ statement: "10s", lock: "5s" }]);
  });

  test("a subscription listens on the database directly", async () => {
    await call("GET", { user_group_id: "watched", name: "Watched" });
    const watch = `subscription { userGroupChanged(by: { providedId: "watched" }) { kind userGroup { name } } }`;
    const stream = await openGroupStream(service.url, `Token ${secret}`, watch, {});
    await call("PUT", { user_group_id: "watched", name: "Changed" });
    expect(await stream.next()).toMatchObject({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Changed" } } },
    });
    stream.close();
  });
});
