import { expect, test } from "vitest";
import { startService } from "../../support/service/test-service.js";
import { type Answer, holdAnswer, type Receiver, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, type WebhookTenant } from "../../support/webhooks/tenant.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const GRACE_SECONDS = 10 * MINUTE;

// Deliveries are attempted again at once, so that an endpoint soon fails five times.
const service = await startService({
  tokenGraceSeconds: GRACE_SECONDS,
  webhooks: { allowPrivate: true, times: { pollMs: 10, retryDelaysMs: [1, 1, 1, 1, 1] } },
});
service.services.webhookDispatcher.start(service.server.log);

/** Returns a time of the tenant in Unix seconds; null if there is none. */
async function timeOf({ accountId }: WebhookTenant, column: string, table: string): Promise<number | null> {
  const [row] = await service.query(
    `SELECT extract(epoch FROM ${column})::double precision AS seconds FROM ${table} WHERE account_id = $1`,
    [accountId],
  );
  return row?.seconds ?? null;
}

async function databaseTime(): Promise<number> {
  const [row] = await service.query(
    "SELECT extract(epoch FROM clock_timestamp())::double precision AS seconds",
  );
  return row.seconds;
}

async function listenAndCreate(tenant: WebhookTenant, answer: () => Promise<Answer>): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  await tenant.listen(receiver.url);
  await tenant.createGroup("acme");
  return receiver;
}

/** Each time in the future that a request or a delivery stores: its column, and how many seconds after it the documentation promises. */
test.each<
  [
    what: string,
    table: string,
    column: string,
    seconds: number,
    jitter: number,
    act: (tenant: WebhookTenant) => Promise<unknown>,
  ]
>([
  [
    "the end of an endpoint's former secret",
    "webhook_endpoint",
    "previous_secret_expires_at",
    24 * HOUR,
    0,
    async (tenant) => {
      const { id } = await tenant.listen("http://127.0.0.1:1/hook");
      await tenant.mutate("rotateWebhookSecret", { id }, "secret");
    },
  ],
  [
    "the lease of a delivery",
    "webhook_delivery",
    "next_attempt_at",
    30,
    0,
    async (tenant) => {
      const { held } = holdAnswer();
      const receiver = await listenAndCreate(tenant, () => held);
      await expect.poll(() => receiver.received.length).toBe(1);
    },
  ],
  [
    "the next attempt after Retry-After",
    "webhook_delivery",
    "next_attempt_at",
    10 * MINUTE,
    0,
    async (tenant) => {
      await listenAndCreate(tenant, async () => ({ status: 503, headers: { "retry-after": "600" } }));
      await expect.poll(() => timeOf(tenant, "last_failure_at", "webhook_endpoint")).not.toBeNull();
    },
  ],
  [
    "the pause of an endpoint after five failures",
    "webhook_endpoint",
    "paused_until",
    10,
    1,
    async (tenant) => {
      await listenAndCreate(tenant, async () => ({ status: 500 }));
      await expect.poll(() => timeOf(tenant, "paused_until", "webhook_endpoint")).not.toBeNull();
    },
  ],
])("%s (%s.%s) is %i s away", async (_what, table, column, seconds, jitter, act) => {
  const tenant = await createTenant(service);
  const started = await databaseTime();
  await act(tenant);
  const time = await timeOf(tenant, column, table);
  // Columns have milliseconds.
  expect(time).toBeGreaterThan(started + seconds - jitter - 0.01);
  expect(time).toBeLessThan((await databaseTime()) + seconds + jitter + 0.01);
});
