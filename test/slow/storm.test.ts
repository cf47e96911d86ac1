import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { createTestProcesses } from "../support/service/running-process.js";
import { checkGroups, checkLogs, checkMappings, type Query } from "../support/storm/checks.js";
import { StormClient } from "../support/storm/client.js";
import type { StormGroup } from "../support/storm/group.js";
import { MortalService } from "../support/storm/mortal-service.js";
import { runStorm } from "../support/storm/storm.js";
import { WebhookArrivals } from "../support/webhooks/arrivals.js";
import { startReceiver } from "../support/webhooks/receiver.js";

/** Can be set for a longer run: the number of kills, and the maximum number of requests between them. */
const ROUNDS = Number(process.env["STORM_ROUNDS"] ?? 1);
const REQUESTS = Number(process.env["STORM_REQUESTS"] ?? 500);
const LANES = 32;
/** Generous for a slow, busy machine. */
const DELIVERY_MS = 240_000 + 5 * ROUNDS * REQUESTS;
const TIMEOUT_MS = 240_000 + ROUNDS * (60_000 + 100 * REQUESTS) + DELIVERY_MS;

const processes = createTestProcesses();
let database: TestDatabase;
let owner: Client;
const query: Query = async (text) => (await owner.query(text)).rows;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(clientOptions(database.owner));
  await owner.connect();
});
afterAll(async () => {
  await processes.close();
  await owner.end();
  await database.drop();
});

async function afterDeath(): Promise<void> {
  // PostgreSQL completes statements of the killed process.
  const left =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  while ((await query(left)).length > 0) await sleep(5);
  // Deliveries in flight are retried when their leases expire; shorten that wait.
  await query("UPDATE webhook_delivery SET next_attempt_at = now() WHERE state = 'pending'");
}

async function startStorm() {
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    WEBHOOK_ALLOW_PRIVATE: "true",
    LOG_LEVEL: "warn",
  };
  const createKey = async (environment: string) => {
    const args = ["key", "create", "--account", "A", "--environment", environment, "--scope", "admin"];
    return (await processes.run(args, { env })).stdout.trim();
  };
  await processes.run(["account", "create", "A"], { env });
  const keys = [await createKey("Customer"), await createKey("Testing")] as const;
  const service = await MortalService.start(processes, { env, lifetimeMs: TIMEOUT_MS }, afterDeath);
  const customer = new StormClient(service, keys[0], "customer");
  const arrivals = new WebhookArrivals();
  const receiver = await startReceiver((received) => arrivals.note(received));
  const create = `mutation ($url: String!) {
    createWebhookEndpoint(input: { name: "receiver", url: $url }) { secret }
  }`;
  const { createWebhookEndpoint } = await customer.graphql(create, { url: receiver.url });
  arrivals.expectSecret(createWebhookEndpoint.secret);
  return { service, clients: [customer, new StormClient(service, keys[1], "testing")], arrivals };
}

/** Each event of the outbox arrived with a valid signature and in the order of its group. */
async function checkDeliveries({ ids, faults }: WebhookArrivals): Promise<void> {
  const pending = "SELECT count(*)::integer FROM webhook_delivery WHERE state = 'pending'";
  await expect.poll(() => query(pending), { timeout: DELIVERY_MS, interval: 200 }).toEqual([{ count: 0 }]);
  const deliveries = await query("SELECT event_id AS id, state FROM webhook_delivery");
  expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);
  expect(deliveries.filter(({ id }) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBe(deliveries.length);
  expect(faults).toEqual([]);
}

test(
  `killed ${ROUNDS} times, each within ${REQUESTS} requests, the service keeps and publishes every acknowledged write`,
  async () => {
    const { service, clients, arrivals } = await startStorm();
    const all = new Map<StormClient, StormGroup[]>(clients.map((client) => [client, []]));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const end = service.replies + REQUESTS;
      const unanswered = service.unanswered;
      service.killAfter(randomInt(1, Math.floor(REQUESTS * 0.95)));
      const isOver = () => service.replies >= end;
      const groups = await runStorm({ clients, prefix: `round-${round}`, lanes: LANES, isOver });
      expect(service.unanswered).toBeGreaterThan(unanswered);
      for (const client of clients) {
        const clientGroups = groups.filter((group) => group.client === client);
        all.get(client)?.push(...clientGroups);
        await checkGroups(client, clientGroups);
      }
      await checkMappings(query);
      await checkLogs(query);
    }
    // Groups of earlier rounds are unchanged.
    for (const [client, groups] of all) await checkGroups(client, groups);
    const alive = [...all.values()].flat().filter(({ exists }) => exists);
    expect(await query("SELECT count(*)::integer FROM user_group")).toEqual([{ count: alive.length }]);
    await checkDeliveries(arrivals);
    await service.stop();
  },
  TIMEOUT_MS,
);
