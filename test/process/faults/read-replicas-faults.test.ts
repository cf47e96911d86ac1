import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ReadReplicas } from "../../../src/persistence/database/read-replicas.js";
import { ReplicaFailed } from "../../../src/persistence/database/replica-reads.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import { ENCRYPTION_KEY } from "../../support/embed/sessions.js";
import { startFaultProxy } from "../../support/faults/fault-proxy.js";
import { databaseUrl } from "../../support/postgres/database-url.js";
import {
  ask,
  type ReplicatedPostgres,
  replicasOf,
  startReplicatedPostgres,
  until,
} from "../../support/postgres/replicated-postgres.js";
import type { RestartablePostgres } from "../../support/postgres/restartable-postgres.js";
import { freePort } from "../../support/programs/free-port.js";
import { hasPgbouncer, startPgbouncer } from "../../support/programs/pgbouncer.js";
import { callRest } from "../../support/rest/rest-client.js";
import { METRICS_TOKEN, metricValue, scrape, sumOf } from "../../support/service/metric-samples.js";
import { createTestProcesses } from "../../support/service/running-process.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const SHORT_MS = 400;
/** Settings that check replicas twice a second. */
const USUAL_MS = 2_000;
const PATIENT_MS = 600_000;

const processes = createTestProcesses();
let postgres: ReplicatedPostgres;
/** Closes what a test has started. */
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});
afterAll(async () => {
  await processes.close();
  await postgres?.close();
});

interface Reader {
  readonly replicas: ReadReplicas;
  readonly service: TestService;
  /** The log's lines about replicas: "out: why", "back". */
  readonly logged: string[];
  /** The number of groups, with stale reads allowed. @throws Error for any reply other than data */
  count(): Promise<number>;
  createGroup(): Promise<void>;
}

/** Starts a service that reads from replicas, with a new account. */
async function startReader(targets: RestartablePostgres["target"][], maxLagMs: number): Promise<Reader> {
  const { primary } = postgres;
  const replicas = replicasOf(primary, targets, maxLagMs);
  endings.push(() => replicas.close());
  const service = await startTestService({ use: primary, replicas, encryptionKey: ENCRYPTION_KEY });
  endings.push(() => service.close());
  const key = await newKey(service);
  await postgres.catchUp();
  const logged: string[] = [];
  await replicas.start({
    warn: ({ err }) => void logged.push(err === undefined ? "back" : `out: ${String(err)}`),
  });
  let groups = 0;
  return {
    replicas,
    service,
    logged,
    async count() {
      const query = "{ userGroups(first: 1) { totalCount } }";
      const headers = { "x-read-consistency": "eventual" };
      const { body } = await callRest(`${service.url}/graphql`, "POST", key, { query }, headers);
      const { data, errors } = Object(body);
      if (errors || !data) throw new Error(JSON.stringify(body));
      return data.userGroups.totalCount;
    },
    async createGroup() {
      groups += 1;
      await callRest(`${service.url}/api/user`, "GET", key, { user_group_id: `g${groups}`, name: "x" });
    },
  };
}

test("skips a replica that lags too much until it has caught up", async () => {
  const { replicas, logged, count, createGroup } = await startReader([postgres.standby.target], SHORT_MS);
  await until(() => replicas.choose() !== undefined);
  await postgres.pause();
  try {
    await createGroup();
    // The standby does not replay any of it meanwhile.
    await until(async () => (await count()) === 1);
    await until(() => logged.includes("out: Error: it lags too far behind"));
    expect(replicas.choose()).toBeUndefined();
  } finally {
    await postgres.resume();
  }
  await until(() => logged.at(-1) === "back" && replicas.choose() !== undefined);
});

test("does not treat an idle database as lag", async () => {
  const { replicas } = await startReader([postgres.standby.target], SHORT_MS);
  await postgres.catchUp();
  await until(() => replicas.choose() !== undefined);
  const since = performance.now();
  await until(() => performance.now() - since > 2 * SHORT_MS);
  await until(() => replicas.choose() !== undefined);
});

test("hides a replica killed under load and uses it again once it is back", async () => {
  const { service, logged, count, createGroup } = await startReader([postgres.standby.target], USUAL_MS);
  await createGroup();
  await postgres.catchUp();
  let isOver = false;
  let queries = 0;
  const load = Array.from({ length: 4 }, async () => {
    for (; !isOver; queries += 1) expect(await count()).toBe(1);
  });
  const waitForMore = () => {
    const flushAt = queries + 60;
    return until(() => queries > flushAt);
  };
  try {
    await waitForMore();
    await postgres.standby.stopImmediately();
    await waitForMore();
    await until(() => logged.some((line) => line.startsWith("out:")));
    await postgres.standby.start();
    await until(() => logged.at(-1) === "back");
    await waitForMore();
  } finally {
    isOver = true;
    await Promise.all(load);
  }
  expect(await metricValue(service.services.telemetry.metrics.retriedReads)).toBeGreaterThan(0);
  // It is back once reads use it again.
  const reads = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'restartable'";
  const before = Number(await ask(postgres.standby, reads));
  await until(async () => {
    await count();
    // The health checks alone are a few per second.
    return Number(await ask(postgres.standby, reads)) > before + 100;
  });
});

test("retries on the primary what recovery conflicts cancel", async () => {
  const { replicas } = await startReader([postgres.standby.target], PATIENT_MS);
  const slow: Statement = { access: "read", text: "SELECT pg_sleep(30), count(*) FROM user_group" };
  const reading = replicas.choose()?.of({ accountId: 1, environment: "Customer" }).run(slow, []);
  const outcome = reading?.catch((error: unknown) => error);
  await until(async () => {
    const held =
      "SELECT count(*) FROM pg_locks WHERE relation = 'user_group'::regclass AND mode = 'AccessShareLock'";
    return (await ask(postgres.standby, held)) === "1";
  });
  await ask(postgres.primary, "DO $$ BEGIN LOCK TABLE user_group IN ACCESS EXCLUSIVE MODE; END $$");
  const failure = await outcome;
  expect(failure).toBeInstanceOf(ReplicaFailed);
  expect(failure).toMatchObject({
    cause: { cause: { message: expect.stringContaining("conflict with recovery") } },
  });
});

test("does not repeat on the primary a search that timed out", async () => {
  const replicas = replicasOf(postgres.primary, [postgres.standby.target], PATIENT_MS, 1000);
  endings.push(() => replicas.close());
  await replicas.start({ warn: () => undefined });
  // The standby may still replay what the test before has locked.
  await until(() => replicas.choose() !== undefined);
  const slow: Statement = { access: "read", isSearch: true, text: "SELECT pg_sleep(300)" };
  const reading = replicas.choose()?.of({ accountId: 1, environment: "Customer" }).run(slow, []);
  await expect(reading).rejects.toMatchObject({ code: "query_too_expensive" });
});

test("does not wait long for a replica lost to the network", async () => {
  const proxy = await startFaultProxy(postgres.standby.target);
  endings.push(() => proxy.close());
  const { replicas, count, createGroup } = await startReader([proxy.target], USUAL_MS);
  await createGroup();
  await postgres.catchUp();
  expect(await count()).toBe(1);
  expect(replicas.choose()).toBeDefined();
  proxy.swallow();
  // Long before the statement timeout of ten seconds: the failed health check ends it.
  expect(await count()).toBe(1);
  expect(replicas.choose()).toBeUndefined();
  proxy.pass();
  proxy.forget();
  await until(() => replicas.choose() !== undefined);
});

test("never uses a server that is not a replica of the database or has another role", async () => {
  const { primary, standby } = postgres;
  const other = { ...standby.owner, database: "postgres" };
  for (const [target, reason] of [
    [primary.target, "it is not a streaming replica"],
    [standby.owner, "its role is user_groups, not user_groups_runtime"],
    [{ ...other, user: "user_groups_runtime" }, "its database is postgres, not restartable"],
  ] as const) {
    const { replicas, logged, count } = await startReader([target], PATIENT_MS);
    expect(logged).toEqual([`out: Error: ${reason}`]);
    expect(replicas.choose()).toBeUndefined();
    expect(await count()).toBe(0);
  }
});

test("distributes requests round-robin over the available replicas", async () => {
  const { standby } = postgres;
  const proxy = await startFaultProxy(standby.target);
  endings.push(() => proxy.close());
  const { replicas } = await startReader([standby.target, proxy.target], USUAL_MS);
  const chosen = new Set(Array.from({ length: 4 }, () => replicas.choose()?.name));
  expect(chosen.size).toBe(2);
  proxy.cut("reset");
  await until(() => new Set(Array.from({ length: 4 }, () => replicas.choose()?.name)).size === 1);
  expect(replicas.choose()).toBeDefined();
});

/** Creates an account. @returns an admin key */
async function newKey(service: TestService): Promise<string> {
  return (await (await service.createAccount()).createKey()).secret;
}

const urlOf = ({ target }: { readonly target: ReplicatedPostgres["primary"]["target"] }) => {
  if ("url" in target) return target.url;
  const { user, password, host, port, database } = target;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
};

/** Starts the service and checks where it reads from while the standby's replay is paused. */
async function expectReplicaUsed(env: Readonly<Record<string, string>>): Promise<void> {
  const settings = {
    DATABASE_MIGRATION_URL: databaseUrl(postgres.primary.owner),
    ENCRYPTION_KEYS: ENCRYPTION_KEY.toString("base64"),
    DATABASE_REPLICA_MAX_LAG_MS: "600000",
    WEBHOOKS: "false",
    READ_CONSISTENCY: "eventual",
    METRICS_TOKEN,
    ...env,
  };
  const { primary } = postgres;
  const owned = await startTestService({ use: primary, encryptionKey: ENCRYPTION_KEY });
  const key = await newKey(owned);
  await owned.close();
  await postgres.catchUp();
  const service = await processes.serve({ env: settings });
  const ready = await callRest(`${service.url}/readyz`, "GET", undefined);
  expect(ready.status).toBe(200);
  const list = async (headers = {}) => {
    const query = "{ userGroups(first: 1) { totalCount } }";
    const { body } = await callRest(`${service.url}/graphql`, "POST", key, { query }, headers);
    return Object(body).data.userGroups.totalCount;
  };
  const before = await list();
  await postgres.pause();
  try {
    const body = { user_group_id: `g${before}`, name: "x" };
    expect((await callRest(`${service.url}/api/user`, "GET", key, body)).status).toBe(200);
    expect([await list(), await list({ "x-read-consistency": "strong" })]).toEqual([before, before + 1]);
  } finally {
    await postgres.resume();
  }
  const samples = await scrape(service.url);
  const isOneOut = env["DATABASE_REPLICA_URLS"]?.includes(",");
  expect(sumOf(samples, "user_groups_replicas", { state: "in" })).toBe(1);
  expect(sumOf(samples, "user_groups_replicas", { state: "out" })).toBe(isOneOut ? 1 : 0);
  for (const server of ["primary", "replica"]) {
    const statements = sumOf(samples, "user_groups_database_statement_duration_seconds_count", { server });
    expect(statements, server).toBeGreaterThan(0);
    expect(sumOf(samples, "user_groups_database_connections", { server }), server).toBeGreaterThan(0);
    expect(sumOf(samples, "user_groups_database_connections_max", { server }), server).toBe(10);
  }
  service.kill("SIGTERM");
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  if (isOneOut) {
    expect(stderr).toMatch(/"replica":"[^"]*127\.0\.0\.1:\d+".*"msg":"a replica was excluded/);
  }
  expect(stderr).not.toContain("restartable:");
}

test("starts although one of the configured replicas is unreachable", async () => {
  const dead = `postgres://user:password@127.0.0.1:${await freePort()}/restartable`;
  await expectReplicaUsed({
    DATABASE_URL: urlOf(postgres.primary),
    DATABASE_REPLICA_URLS: `${urlOf(postgres.standby)}, ${dead}`,
  });
});

test.skipIf(!hasPgbouncer)("works with PgBouncer in front of each", async () => {
  const poolers = [
    await startPgbouncer(postgres.primary.target, 4),
    await startPgbouncer(postgres.standby.target, 4),
  ];
  try {
    const [primary, standby] = poolers.map(urlOf);
    await expectReplicaUsed({
      DATABASE_URL: String(primary),
      DATABASE_LISTEN_URL: urlOf(postgres.primary),
      DATABASE_POOLED: "true",
      DATABASE_REPLICA_URLS: String(standby),
    });
  } finally {
    for (const pooler of poolers) await pooler.close();
  }
});
