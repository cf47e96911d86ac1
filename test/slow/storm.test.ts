import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "../../src/persistence/shared/database-options.js";
import { createKeys } from "../support/faults/faulted-service.js";
import { type Query, verifyLoad } from "../support/faults/load-verification.js";
import { startLoad } from "../support/faults/steady-load.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { freePort } from "../support/programs/free-port.js";
import { createTestProcesses } from "../support/service/running-process.js";
import { type Answer, type Received, startReceiver } from "../support/webhooks/receiver.js";

/** Can be set for a longer run: the number of kills, and the maximum number of requests before each. */
const ROUNDS = Number(process.env["STORM_ROUNDS"] ?? 1);
const REQUESTS = Number(process.env["STORM_REQUESTS"] ?? 500);
const BUSY = { lanes: 32, restMs: 0 };
/** Generous for a slow, busy machine. */
const DELIVERY_MS = 240_000 + 5 * ROUNDS * REQUESTS;
const TIMEOUT_MS = 240_000 + ROUNDS * (60_000 + 100 * REQUESTS) + DELIVERY_MS;
const CREATE_ENDPOINT = `mutation ($url: String!) {
  createWebhookEndpoint(input: { name: "receiver", url: $url }) { secret }
}`;

const processes = createTestProcesses();
let database: TestDatabase;
let administration: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  administration = new Pool({ ...clientOptions(database.owner), max: 1 });
});
afterAll(async () => {
  await processes.close();
  await administration.end();
  await database.drop();
});
const query: Query = async (text, values = []) => (await administration.query(text, [...values])).rows;

test(
  `killed ${ROUNDS} times, each within ${REQUESTS} requests, the service keeps and publishes every acknowledged write`,
  async () => {
    const encryptionKey = randomBytes(32);
    const keys = await createKeys(database, encryptionKey);
    const env = {
      PORT: String(await freePort()),
      DATABASE_URL: databaseUrl(database.target),
      ENCRYPTION_KEYS: encryptionKey.toString("base64"),
      WEBHOOK_ALLOW_PRIVATE: "true",
      LOG_LEVEL: "warn",
    };
    const start = () => processes.serve({ env, lifetimeMs: TIMEOUT_MS });
    let up = start();
    const target = { url: (await up).url, ready: () => up };
    const arrivals = new Arrivals();
    const receiver = await startReceiver((received) => arrivals.note(received));
    const { body } = await callGraphql(target.url, keys[0], CREATE_ENDPOINT, { url: receiver.url });
    arrivals.verifier = new Webhook(Object(body).data.createWebhookEndpoint.secret);

    for (let round = 1; round <= ROUNDS; round += 1) {
      const load = startLoad(target, keys, `round-${round}-`, BUSY);
      const { calls, violations } = load.journal;
      const killAfter = randomInt(1, Math.floor(REQUESTS * 0.95));
      await expect.poll(() => calls.length, { interval: 1 }).toBeGreaterThan(killAfter);
      const doomed = await up;
      // Not always between two replies.
      await sleep(Math.random() * 5);
      doomed.kill("SIGKILL");
      up = doomed.ended.then(async (end) => {
        expect(end).toMatchObject({ signal: "SIGKILL", stderr: "" });
        await afterDeath();
        return start();
      });
      await expect.poll(() => calls.filter(({ refused }) => refused).length).toBeGreaterThan(0);
      await expect.poll(() => calls.length).toBeGreaterThan(REQUESTS);
      await load.stop();
      await verifyLoad(load, query);
      expect(violations).toEqual([]);
      await checkLogs();
    }
    // Each event of the outbox arrived with a valid signature and in the order of its group.
    const pending = "SELECT count(*)::integer FROM webhook_delivery WHERE state = 'pending'";
    await expect.poll(() => query(pending), { timeout: DELIVERY_MS, interval: 200 }).toEqual([{ count: 0 }]);
    const deliveries = await query("SELECT event_id AS id, state FROM webhook_delivery");
    expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);
    expect(new Set(deliveries.map(({ id }) => id))).toEqual(arrivals.ids);
    expect(arrivals.faults).toEqual([]);
    const last = await up;
    last.kill("SIGTERM");
    expect(await last.ended).toMatchObject({ code: 0, stderr: "" });
  },
  TIMEOUT_MS,
);

async function afterDeath(): Promise<void> {
  // PostgreSQL completes statements of the killed process.
  const left =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'user-groups/%'";
  await expect.poll(() => query(left)).toEqual([]);
  // Deliveries in flight are retried when their leases expire; shorten that wait.
  await query("UPDATE webhook_delivery SET next_attempt_at = now() WHERE state = 'pending'");
}

/** Checks that the audit log has each change of each group once, and that the outbox has the events of the endpoint's tenant. */
async function checkLogs(): Promise<void> {
  // Every version is a change, even if its reply was lost.
  expect(
    await query(`
      SELECT id, user_group.version, entries FROM user_group FULL JOIN (
        SELECT account_id, environment, subject_id AS id, json_agg(action || ' ' || audit_entry.version ORDER BY audit_entry.id) AS entries,
          min(action) FILTER (WHERE audit_entry.version = 1) AS first, max(audit_entry.version) AS last,
          count(*) FILTER (WHERE action <> 'user_group.deleted') AS changes,
          count(DISTINCT audit_entry.version) AS versions,
          count(*) FILTER (WHERE action = 'user_group.created') AS creations,
          count(*) FILTER (WHERE action = 'user_group.deleted') AS deletions
        FROM audit_entry WHERE action LIKE 'user_group.%' GROUP BY account_id, environment, subject_id
      ) AS log USING (account_id, environment, id)
      WHERE first IS DISTINCT FROM 'user_group.created' OR creations <> 1 OR changes <> last OR versions <> last
        OR deletions <> CASE WHEN token_lookup IS NULL THEN 1 ELSE 0 END OR user_group.version <> last LIMIT 10`),
  ).toEqual([]);
  expect(
    await query(`
      SELECT action, log.version, event FROM (
        SELECT action, split_part(action, '.', 1) || ':' || subject_id AS subject, version FROM audit_entry
        JOIN webhook_endpoint AS endpoint ON endpoint.account_id = audit_entry.account_id
          AND endpoint.environment = audit_entry.environment::text
        WHERE action LIKE 'user_group.%'
      ) AS log
      FULL JOIN (
        SELECT event, subject, (payload #>> '{data,userGroup,version}')::integer AS version, count(*) AS times
        FROM webhook_delivery GROUP BY 1, 2, 3
      ) AS outbox ON event = action AND outbox.subject = log.subject AND outbox.version = log.version
      WHERE event IS NULL OR action IS NULL OR times <> 1 LIMIT 10`),
  ).toEqual([]);
}

/** The events that the endpoint has received. */
class Arrivals {
  readonly ids = new Set<string>();
  /** Invalid signatures, and events of a group in the wrong order. */
  readonly faults: unknown[] = [];
  readonly #versions = new Map<number, number>();
  verifier: Webhook | undefined;

  note({ headers, body, event }: Received): Answer {
    try {
      this.verifier?.verify(body, headers);
    } catch (error) {
      this.faults.push(error);
    }
    if (headers["webhook-id"] !== event.id) this.faults.push(event);
    const { teamId, version } = event.data.userGroup;
    if (!this.ids.has(event.id) && version < (this.#versions.get(teamId) ?? 0)) this.faults.push(event);
    this.#versions.set(teamId, Math.max(version, this.#versions.get(teamId) ?? 0));
    this.ids.add(event.id);
    return { status: 204 };
  }
}
