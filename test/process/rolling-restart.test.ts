import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { freePort } from "../support/programs/free-port.js";
import { hasHaproxy, NO_HAPROXY, REPLICA_HEADER, startHaproxy } from "../support/programs/haproxy.js";
import {
  jsonRequest,
  type KeepAliveClient,
  openKeepAliveClient,
  userRequest,
} from "../support/rest/keep-alive-client.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const CLIENTS = 16;
/** The number of replies required before the next step. */
const STEADY = 5 * CLIENTS;
const UPDATE = `mutation ($id: String!, $name: String!) {
  updateUserGroup(input: { by: { providedId: $id }, name: $name }) { userGroup { name } userErrors { code } }
}`;
const processes = createTestProcesses();
const ports: Record<string, number> = {};
let database: TestDatabase;
let env: Readonly<Record<string, string>>;
let key: string;

beforeAll(async () => {
  if (!hasHaproxy) return;
  database = await createTestDatabase();
  env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    LOG_LEVEL: "error",
  };
  const args = ["key", "create", "--account", "A", "--environment", "Customer", "--scope", "write"];
  await processes.run(["account", "create", "A"], { env });
  key = (await processes.run(args, { env })).stdout.trim();
  for (const name of ["one", "two"]) ports[name] = await freePort();
});
beforeEach(({ skip }) => skip(!hasHaproxy, NO_HAPROXY));
afterAll(async () => {
  await processes.close();
  await database?.drop();
});

/** The clients' observations. */
interface Load {
  /** Correct replies, by the replica that sent them. */
  readonly answered: Record<string, number>;
  readonly failures: unknown[];
  stop(): Promise<void>;
}

function startLoad(url: string): Load {
  const answered: Record<string, number> = { one: 0, two: 0 };
  const failures: unknown[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    let connection: KeepAliveClient | undefined;
    const ask = async (request: string, expected: object): Promise<unknown> => {
      connection ??= await openKeepAliveClient(url);
      connection.write(request);
      const outcome = await connection.next();
      try {
        expect(outcome).toMatchObject({ kind: "reply", status: 200, body: expected });
      } catch {
        failures.push(outcome);
      }
      if (outcome.kind !== "reply" || outcome.ends) {
        connection.close();
        connection = undefined;
      }
      if (outcome.kind !== "reply") return undefined;
      const replica = outcome.headers[REPLICA_HEADER] ?? "none";
      answered[replica] = (answered[replica] ?? 0) + 1;
      return outcome.body;
    };
    for (let round = 0; !isOver; round += 1)
      await useGroup(`${randomBytes(8).toString("hex")}-${index}-${round}`, ask);
    connection?.close();
  });
  return {
    answered,
    failures,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** The life of a user group; each step must see all acknowledged changes. */
async function useGroup(
  id: string,
  ask: (request: string, expected: object) => Promise<unknown>,
): Promise<void> {
  const rest = (method: string, body: object, expected: object) =>
    ask(userRequest(method, key, body), { success: 1, ...expected });
  const named = { user_group_id: id, name: id };
  const created = await rest("GET", named, { new_user_group: true, user_group: { name: id } });
  const { token } = Object(created).user_group ?? {};
  await sleep(Math.random() * 50);
  await rest("PUT", { ...named, name: "New" }, { user_group: { name: "New", token } });
  const variables = { id, name: "Newer" };
  await ask(jsonRequest("POST", "/graphql", key, { query: UPDATE, variables }), {
    data: { updateUserGroup: { userGroup: { name: "Newer" }, userErrors: [] } },
  });
  const rotated = await rest("POST", { current_token: token }, { user_group: { name: "Newer" } });
  const current = Object(rotated).user_group?.token;
  await rest("GET", named, { new_user_group: false, user_group: { name: "Newer", token: current } });
  await rest("DELETE", { current_token: current }, {});
}

// Without the delay, success is up to chance: a load balancer may use a connection just as it closes (decision 38).
test("behind a load balancer with health checks, replicas are replaced without a failed request", async () => {
  // HAProxy checks ten times a second and acts on the second result.
  const more = { SHUTDOWN_DELAY_MS: "1000" };
  const start = (name: string) => processes.serve({ env: { ...env, ...more, PORT: String(ports[name]) } });
  const running: Record<string, RunningService> = { one: await start("one"), two: await start("two") };
  // It assumes that servers are ready until the first check.
  const haproxy = await startHaproxy(ports);
  onTestFinished(() => haproxy.close());
  const load = startLoad(haproxy.url);
  const answersFrom = async (name: string) => {
    const before = load.answered[name] ?? 0;
    const more = () => (load.answered[name] ?? 0) - before;
    await expect.poll(more).toBeGreaterThan(STEADY);
  };
  for (const name of ["one", "two"]) await answersFrom(name);
  for (const name of ["one", "two"]) {
    running[name]?.kill("SIGTERM");
    expect(await running[name]?.ended).toMatchObject({ code: 0, stderr: "" });
    running[name] = await start(name);
    await answersFrom(name);
  }
  await load.stop();
  expect(load.failures).toEqual([]);
  for (const service of Object.values(running)) service.kill("SIGKILL");
  await Promise.all(Object.values(running).map(({ ended }) => ended));
});
