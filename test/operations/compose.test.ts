import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createClient } from "@redis/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reply, startScriptedServer } from "../support/clients/scripted-server.js";
import {
  type ComposeStack,
  REPLICAS,
  readCompose,
  startComposeStack,
} from "../support/deploy/compose-stack.js";
import { startLoad } from "../support/faults/steady-load.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { freePort } from "../support/programs/free-port.js";
import { startGuarded } from "../support/programs/guarded-program.js";
import { hasPgbouncer } from "../support/programs/pgbouncer.js";
import { hasRedis } from "../support/programs/redis-server.js";
import { callRest } from "../support/rest/rest-client.js";
import { createTestProcesses } from "../support/service/running-process.js";

const folder = new URL("../../deploy/compose/", import.meta.url);
const pathOf = (name: string) => fileURLToPath(new URL(name, folder));
const has = (program: string, option: string) => spawnSync(program, [option]).status === 0;
const hasHaproxy = has("haproxy", "-v");
const hasAll = hasHaproxy && hasPgbouncer && hasRedis && has("psql", "--version");

test("does not start without secrets, and none are committed", () => {
  expect(() => readCompose(pathOf("compose.yaml"), {})).toThrow("run ./make-secrets.sh first");
  const text = readFileSync(pathOf("compose.yaml"), "utf8");
  expect(text.match(/PASSWORD[^\n]*: (?!\$)\S+/)).toBeNull();
  expect(readFileSync(new URL("../../.gitignore", import.meta.url), "utf8")).toContain(
    "deploy/compose/.env\n",
  );
});

test("every image has a specific version tag", () => {
  const secrets = {
    SERVICE_PASSWORD: "a",
    REDIS_PASSWORD: "a",
    POSTGRES_PASSWORD: "a",
    ENCRYPTION_KEYS: "a",
  };
  const images = Object.values(readCompose(pathOf("compose.yaml"), secrets)).map(({ image }) => image);
  expect(images.filter((image) => !/:v?\d+\.\d+\.?\d*|^user-groups:local$/.test(image))).toEqual([]);
});

describe.skipIf(!hasHaproxy)("haproxy.cfg", () => {
  /** Starts HAProxy in front of a service at that address. */
  async function startFront(service: string, frontProxy = "255.255.255.255") {
    const port = await freePort();
    const env = {
      LISTEN: `127.0.0.1:${port}`,
      SERVICE_1: service,
      SERVICE_2: service,
      FRONT_PROXY: frontProxy,
    };
    const command = ["haproxy", "-q", "-db", "-f", pathOf("haproxy.cfg")];
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const program = await startGuarded("env", [...variables, ...command], port);
    return { url: `http://127.0.0.1:${port}`, end: () => program.end() };
  }

  /** Sends a request through HAProxy. @returns the status and the client addresses that the service receives */
  async function ask(path: string, frontProxy: string, headers: Readonly<Record<string, string>>) {
    const { url, seen } = await startScriptedServer(reply(200, {}));
    const front = await startFront(new URL(url).host, frontProxy);
    try {
      const { status } = await fetch(`${front.url}${path}`, { headers });
      return [status, seen.find((request) => request.path === path)?.headers["x-forwarded-for"]];
    } finally {
      await front.end();
    }
  }

  const message = "The service is temporarily unavailable. Try again shortly.";

  /** Checks that HAProxy replies in both APIs' error formats. */
  async function expectUnavailable(url: string, status: number) {
    const rest = await callRest(`${url}/api/user`, "GET", "a-key", { user_group_id: "a" });
    const request_id = rest.headers["x-request-id"];
    expect(request_id).toMatch(/^[\da-f-]{36}$/);
    const error = { code: "unavailable", message, request_id };
    expect(rest).toMatchObject({ status, headers: { "retry-after": "1", "cache-control": "no-store" } });
    expect(rest.headers["content-type"]).toBe("application/json");
    expect(rest.body).toEqual({ success: 0, error });
    const graphql = await callGraphql(url, "a-key", "{ __typename }");
    const requestId = graphql.headers["x-request-id"];
    expect(graphql).toMatchObject({ status, headers: { "retry-after": "1" } });
    const extensions = { code: "UNAVAILABLE", retryAfter: 1, requestId };
    expect(graphql.body).toEqual({ errors: [{ message, extensions }] });
  }

  test("replies like the service when no replica is ready or one disconnects", async () => {
    const unavailable = await startFront(`127.0.0.1:${await freePort()}`);
    try {
      await expectUnavailable(unavailable.url, 503);
    } finally {
      await unavailable.end();
    }
    // Ready, but it closes the connection for every other path.
    const broken = createServer((request, response) => {
      if (request.url === "/readyz") response.end("{}");
      else request.socket.destroy();
    });
    await once(broken.listen(0, "127.0.0.1"), "listening");
    const address = broken.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    const front = await startFront(`127.0.0.1:${address.port}`);
    try {
      await expectUnavailable(front.url, 502);
      expect(await callRest(`${front.url}/metrics`, "GET", undefined)).toMatchObject({
        status: 404,
        body: { success: 0, error: { code: "not_found" } },
      });
    } finally {
      await front.end();
      broken.close();
    }
  });

  const headers = { "x-forwarded-for": "198.51.100.1, 203.0.113.7" };

  test("trusts X-Forwarded-For from the proxy in front of it only", async () => {
    expect(await ask("/", "255.255.255.255", headers)).toEqual([200, "127.0.0.1"]);
    expect(await ask("/", "10.1.0.0/16 127.0.0.1", headers)).toEqual([200, headers["x-forwarded-for"]]);
    expect(await ask("/", "127.0.0.1", {})).toEqual([200, "127.0.0.1"]);
  });

  test("blocks metrics, however the path is written", async () => {
    for (const path of ["/metrics", "/metrics/", "/metrics?x=/", "/%6detrics"])
      expect(await ask(path, "255.255.255.255", {}), path).toEqual([404, undefined]);
  });
});

describe.skipIf(!hasAll)("the stack", () => {
  const processes = createTestProcesses();
  let stack: ComposeStack;
  let key: string;
  beforeAll(async () => {
    stack = await startComposeStack(processes);
    const create = ["--account", "acme", "--environment", "Customer", "--scope", "admin"];
    await stack.command("account", "create", "acme");
    key = (await stack.command("key", "create", ...create)).stdout.trim();
  });
  afterAll(async () => {
    await processes.close();
    await stack?.close();
  });

  test("both replicas respond, with a role subject to row-level security", async () => {
    for (let call = 0; call < 8; call += 1) {
      const body = { user_group_id: `g${call}`, name: "Group" };
      const { body: reply } = await callRest(`${stack.url}/api/user`, "GET", key, body);
      expect(reply).toMatchObject({ success: 1, new_user_group: true });
    }
    for (const { stderr } of Object.values(stack.services)) {
      expect(stderr()).toContain('"path":"/api/user"');
      expect(stderr()).not.toContain("Row-level security is not enforced");
    }
    const roles =
      "SELECT string_agg(DISTINCT usename, ',') FROM pg_stat_activity WHERE application_name LIKE 'user-groups/%'";
    expect(await stack.ask(roles)).toBe("user_groups_service");
  });

  test("the replicas share limits in Redis, by the client address from HAProxy", async () => {
    const spoof = { "x-forwarded-for": "203.0.113.7" };
    const body = { user_group_id: "g", name: "x" };
    expect((await callRest(`${stack.url}/api/user`, "GET", `${key}x`, body, spoof)).status).toBe(401);
    const redis = createClient({ url: stack.redisUrl });
    await redis.connect();
    const counted = (await redis.keys("*")).join();
    await redis.close();
    expect(counted).toContain("127.0.0.1");
    expect(counted).not.toContain("203.0.113.7");
  });

  // Without SHUTDOWN_DELAY_MS, success is up to chance: a load balancer may use a connection just as it closes (decision 38).
  test("replicas are replaced one by one under load, without a failed request", async () => {
    const { url } = stack;
    for (const [providedId, name] of Object.entries({
      sales: "Sales database",
      support: "Support database",
    })) {
      const create = `mutation { createDataSource(input: { providedId: "${providedId}", name: "${name}" }) { userErrors { code } } }`;
      await callGraphql(url, key, create);
    }
    const load = startLoad(url, [key], "replaced");
    const { calls, violations } = load.journal;
    for (const name of REPLICAS) await stack.replace(name);
    await load.stop();
    expect([...violations, ...calls.filter(({ refused }) => refused)]).toEqual([]);
  });

  test("a service with an outdated schema says how to fix it", async () => {
    await stack.ask("CREATE DATABASE behind");
    const env = {
      DATABASE_URL: stack.databaseUrl.replace(/user_groups$/, "behind"),
      ENCRYPTION_KEYS: stack.secrets["ENCRYPTION_KEYS"] ?? "",
    };
    const { code, stderr } = await processes.run([], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("not up to date");
    expect(stderr).toContain("Run `migrate up` with DATABASE_MIGRATION_URL");
  });

  test("each service has only its own password", () => {
    const { environment = {} } = readCompose(pathOf("compose.yaml"), stack.secrets)["service-1"] ?? {};
    expect(JSON.stringify(environment)).not.toContain(stack.secrets["POSTGRES_PASSWORD"]);
  });
});
