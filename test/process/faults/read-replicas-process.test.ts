import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseUrl } from "../../support/postgres/database-url.js";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../support/postgres/replicated-postgres.js";
import { freePort } from "../../support/programs/free-port.js";
import { hasPgbouncer, startPgbouncer } from "../../support/programs/pgbouncer.js";
import { callRest } from "../../support/rest/rest-client.js";
import { METRICS_TOKEN, scrape, sumOf } from "../../support/service/metric-samples.js";
import { createTestProcesses } from "../../support/service/running-process.js";

const processes = createTestProcesses();
let postgres: ReplicatedPostgres;
beforeAll(async () => {
  postgres = await startReplicatedPostgres();
});
afterAll(async () => {
  await processes.close();
  await postgres?.close();
});

const urlOf = ({ target }: { readonly target: ReplicatedPostgres["primary"]["target"] }) => {
  if ("url" in target) return target.url;
  const { user, password, host, port, database } = target;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
};

/** Starts the service and checks where it reads from while the standby's replay is paused. */
async function expectReplicaUsed(env: Readonly<Record<string, string>>): Promise<void> {
  const common = {
    DATABASE_MIGRATION_URL: databaseUrl(postgres.primary.owner),
    ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString("base64"),
    DATABASE_REPLICA_MAX_LAG_MS: "600000",
    WEBHOOKS: "false",
    METRICS_TOKEN,
    ...env,
  };
  const create = ["key", "create", "--account", "a", "--environment", "Customer", "--scope", "admin"];
  await processes.run(["account", "create", "a"], { env: common });
  const { stdout } = await processes.run(create, { env: common });
  const key = /ugk_live_\w+/.exec(stdout)?.[0];
  await postgres.catchUp();
  const service = await processes.serve({ env: { ...common, READ_CONSISTENCY: "eventual" } });
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

test("rejects replicas without a primary", async () => {
  const { code, stderr } = await processes.run([], {
    env: { DATABASE_REPLICA_URLS: urlOf(postgres.standby) },
  });
  expect([code, stderr]).toEqual([
    1,
    "Invalid settings: DATABASE_REPLICA_URLS requires DATABASE_URL, the primary of these replicas.\n",
  ]);
});
