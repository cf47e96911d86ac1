import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { RedisLimiters } from "../../../src/persistence/requests/redis-limiters.js";
import { hasRedis, NO_REDIS, startRedis, type TestRedis } from "../../support/programs/redis-server.js";
import { left, limitsOf } from "../../support/rest/rate-limit-replies.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startRunningApp } from "../../support/service/running-app.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";

const LIMIT = 6;
const PLENTY = 1_000_000;
/** Generous timeouts for a busy machine, for tests of something else. */
const BUSY = { connectMs: 10_000, answerMs: 10_000 };
const encryptionKey = randomBytes(32);

/** A service process and its log lines about Redis. */
interface Replica {
  readonly service: TestService;
  readonly limiters: RedisLimiters;
  readonly events: string[];
}

let main: TestService;
let account: TestAccount;
beforeAll(async () => {
  main = await startTestService({ encryptionKey });
  account = await main.createAccount();
});
afterAll(() => main.close());
beforeEach(({ skip }) => skip(!hasRedis, NO_REDIS));

/** Starts a Redis until the test ends. */
async function useRedis(more?: readonly string[]): Promise<TestRedis> {
  const redis = await startRedis(more);
  onTestFinished(() => redis.close());
  return redis;
}

/** Starts a replica on the shared database until the test ends. */
async function startReplica(redisUrl: string, maxCost = LIMIT, timeouts = BUSY): Promise<Replica> {
  const events: string[] = [];
  const limiters = await RedisLimiters.create(redisUrl, timeouts);
  await limiters.open({
    warn: ({ err }) =>
      void events.push(
        err === undefined ? "back" : `lost: ${err instanceof Error ? err.message : String(err)}`,
      ),
  });
  const rateLimits = { maxCost, maxAuthFailures: 3, sharedLimiters: limiters };
  const service = await startTestService({ use: main, encryptionKey, rateLimits });
  onTestFinished(async () => {
    await service.close();
    limiters.close();
  });
  return { service, limiters, events };
}

const read = ({ service }: Replica, key: string) =>
  callRest(`${service.url}/api/user`, "GET", key, { user_group_id: "x", name: "X" });

/** Sends concurrent calls until stopped. @returns the number of replies by status */
function putUnderLoad(replica: Replica, key: string) {
  const statuses: Record<number, number> = {};
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      const { status } = await read(replica, key);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, caller));
  return {
    statuses,
    async stop() {
      isOver = true;
      await callers;
      return statuses;
    },
  };
}

async function newKey(): Promise<string> {
  return (await account.createKey()).secret;
}

/** Waits for more replies. */
async function waitForReplies(statuses: Readonly<Record<number, number>>, more = 50): Promise<void> {
  const count = () => Object.values(statuses).reduce((sum, times) => sum + times, 0);
  const goal = count() + more;
  await expect.poll(count).toBeGreaterThan(goal);
}

describe("replicas on one Redis", () => {
  test("share a key's allowance exactly under concurrency", async () => {
    const redis = await useRedis();
    const replicas = [await startReplica(redis.url), await startReplica(redis.url)] as const;
    const key = await newKey();
    expect(limitsOf(await read(replicas[0], key))).toEqual(left(LIMIT - 1, LIMIT));
    expect(limitsOf(await read(replicas[1], key))).toEqual(left(LIMIT - 2, LIMIT));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => read(replicas[index % 2 === 0 ? 0 : 1], key)),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT - 2);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20 - LIMIT + 2);
    expect(replicas.flatMap(({ events }) => events)).toEqual([]);
  });

  test("share the number of failed authentications", async () => {
    const redis = await useRedis();
    const [one, other] = [await startReplica(redis.url), await startReplica(redis.url)];
    for (let time = 0; time < 3; time += 1) expect((await read(one, "nonsense")).status).toBe(401);
    expect((await read(one, "nonsense")).status).toBe(429);
    expect((await read(other, "nonsense")).status).toBe(429);
    expect((await read(other, await newKey())).status).toBe(200);
  });

  test("leave no Redis key that does not expire with its window", async () => {
    const redis = await useRedis();
    const replica = await startReplica(redis.url);
    for (let time = 0; time <= LIMIT; time += 1) await read(replica, await newKey());
    for (const key of [await newKey(), "nonsense"]) await read(replica, key);
    const { createClient } = await import("@redis/client");
    const client = await createClient({ url: redis.url }).connect();
    onTestFinished(() => client.destroy());
    const names = await client.keys("*");
    expect(names.length).toBeGreaterThan(LIMIT);
    for (const name of names) expect(await client.pTTL(name)).toBeGreaterThan(0);
  });
});

describe("a lost Redis", () => {
  test("fails no request under load; limits still apply and are shared again afterwards", async () => {
    const redis = await useRedis();
    const replicas = [await startReplica(redis.url, PLENTY), await startReplica(redis.url, PLENTY)] as const;
    const loads = replicas.map((replica, index) => ({ replica, index }));
    const key = await newKey();
    const running = loads.map(({ replica }) => putUnderLoad(replica, key));
    for (const { statuses } of running) await waitForReplies(statuses);
    await redis.kill();
    for (const { statuses } of running) await waitForReplies(statuses);
    await redis.restart();
    for (const { limiters } of replicas) await expect.poll(() => limiters.isReachable).toBe(true);
    for (const { statuses } of running) await waitForReplies(statuses);
    for (const load of running) expect(Object.keys(await load.stop())).toEqual(["200"]);
    for (const { events } of replicas) expect(events).toEqual([expect.stringMatching(/^lost: /), "back"]);

    const fresh = await newKey();
    expect(limitsOf(await read(replicas[0], fresh))).toEqual(left(PLENTY - 1, PLENTY));
    expect(limitsOf(await read(replicas[1], fresh))).toEqual(left(PLENTY - 2, PLENTY));
  });

  test("grants no new allowance", async () => {
    const redis = await useRedis();
    const replica = await startReplica(redis.url);
    const key = await newKey();
    for (let time = 0; time < LIMIT - 1; time += 1) await read(replica, key);
    await redis.kill();
    await expect.poll(() => replica.limiters.isReachable).toBe(false);
    expect(limitsOf(await read(replica, key))).toEqual(left(0, LIMIT));
    expect((await read(replica, key)).status).toBe(429);
  });

  test("delays requests only until the next check when it hangs", async () => {
    const redis = await useRedis();
    const replica = await startReplica(redis.url, PLENTY, { ...BUSY, answerMs: 500 });
    const load = putUnderLoad(replica, await newKey());
    await waitForReplies(load.statuses);
    redis.signal("SIGSTOP");
    onTestFinished(() => redis.signal("SIGCONT"));
    await expect.poll(() => replica.limiters.isReachable).toBe(false);
    await waitForReplies(load.statuses);
    redis.signal("SIGCONT");
    await expect.poll(() => replica.limiters.isReachable).toBe(true);
    await waitForReplies(load.statuses);
    expect(Object.keys(await load.stop())).toEqual(["200"]);
    expect(replica.events).toEqual(["lost: Operation timed out", "back"]);
  });
});

describe("an unusable Redis at startup is logged once, and limits apply without it", () => {
  async function expectLost(url: string, reason: RegExp, timeouts = BUSY): Promise<void> {
    const replica = await startReplica(url, LIMIT, timeouts);
    const key = await newKey();
    expect(limitsOf(await read(replica, key))).toEqual(left(LIMIT - 1, LIMIT));
    // Longer than until the next attempt.
    await sleep(1200);
    expect(limitsOf(await read(replica, key))).toEqual(left(LIMIT - 2, LIMIT));
    expect(replica.events).toEqual([expect.stringMatching(reason)]);
  }

  test("requires a password", async () => {
    const redis = await useRedis(["--requirepass", "pass-word"]);
    await expectLost(redis.url, /^lost: NOAUTH/);
    await expectLost(redis.url.replace("//", "//:wrong@"), /^lost: WRONGPASS/);
    const replica = await startReplica(redis.url.replace("//", "//:pass-word@"));
    expect(replica.events).toEqual([]);
    expect(replica.limiters.isReachable).toBe(true);
  });

  test("read-only", async () => {
    const redis = await useRedis(["--maxmemory", "1", "--maxmemory-policy", "noeviction"]);
    await expectLost(redis.url, /^lost: .*OOM/);
  });

  test("not responding", async () => {
    const redis = await useRedis();
    redis.signal("SIGSTOP");
    onTestFinished(() => redis.signal("SIGCONT"));
    const reason = /^lost: Redis did not answer within 200 ms\.$/;
    await expectLost(redis.url, reason, { connectMs: 200, answerMs: 200 });
  });
});

test("a service whose Redis is not there applies its limits, and says so once without the password", async () => {
  const { url, key, log } = await startRunningApp({
    RATE_LIMIT: "1",
    AUTH_FAILURE_LIMIT: "1",
    TRUSTED_PROXIES: "127.0.0.1",
    REDIS_URL: "redis://:pass-word@127.0.0.1:1",
  });
  const call = (as: string, address: string) =>
    callRest(`${url}/api/user`, "GET", as, { user_group_id: "x", name: "X" }, { "x-forwarded-for": address });
  expect(await call(key, "192.0.2.1")).toMatchObject({
    status: 200,
    headers: { "ratelimit-policy": '"requests";q=1;w=60' },
  });
  expect((await call(key, "192.0.2.1")).status).toBe(429);
  expect((await call("nonsense", "192.0.2.2")).status).toBe(401);
  expect((await call("nonsense", "192.0.2.2")).status).toBe(429);
  expect((await call("nonsense", "192.0.2.3")).status).toBe(401);
  const lines = log.map((line) => JSON.stringify(line));
  expect(lines.filter((line) => line.includes("Redis"))).toEqual([
    expect.stringContaining("each process counts rate limits separately"),
  ]);
  expect(lines.join()).not.toContain("pass-word");
});
