import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService, type TestService } from "../../support/service/test-service.js";
import { startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, type WebhookTenant } from "../../support/webhooks/tenant.js";

const EVENTS = 300;
const BACKLOG = 2000;
/** In each of two accounts, one of them that of the good endpoint. */
const HANGING = 3;
/** The good endpoint keeps at least this part of its rate; on an idle machine it keeps more than 0.8. */
const MIN_RATIO = 0.5;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ webhooks: { allowPrivate: true } });
});
afterAll(() => service.close());

/** Writes deliveries to an endpoint, each of a subject of its own. */
async function enqueue(tenant: WebhookTenant, name: string, count: number): Promise<void> {
  await service.query(
    `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
      SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', gen_random_uuid(), '{}'
      FROM webhook_endpoint, generate_series(1, $3) WHERE account_id = $1 AND url LIKE '%' || $2`,
    [tenant.accountId, name, count],
  );
}

test("a good endpoint keeps its rate while others of its account and of another one hang", async () => {
  const good = await createTenant(service);
  const other = await createTenant(service);
  const receiver = await startReceiver();
  await good.listen(`${receiver.url}/good`);
  const rate = async () => {
    const before = receiver.received.length;
    await enqueue(good, "/good", EVENTS);
    const startedAt = Date.now();
    await expect.poll(() => receiver.received.length, { timeout: 60_000, interval: 5 }).toBe(before + EVENTS);
    return (1000 * EVENTS) / (Date.now() - startedAt);
  };
  service.services.webhookDispatcher.start(service.server.log);
  // The first run warms up.
  await rate();
  const alone = await rate();

  const hanging = await startReceiver(() => new Promise(() => undefined));
  for (const tenant of [good, other]) {
    for (let count = 0; count < HANGING; count += 1) await tenant.listen(`${hanging.url}/hanging`);
    await enqueue(tenant, "/hanging", BACKLOG);
  }
  // Each of them has taken all it may.
  await expect.poll(() => hanging.received.length, { timeout: 20_000 }).toBe(2 * HANGING * 4);
  // Other programs of the machine may slow a run down, but none can speed it up.
  let beside = 0;
  for (let run = 0; run < 3 && beside <= MIN_RATIO * alone; run += 1) beside = Math.max(beside, await rate());
  expect({ alone, beside, isFair: beside > MIN_RATIO * alone }).toMatchObject({ isFair: true });
  expect(hanging.received.length).toBeLessThan(2 * HANGING * 4 * 4);
}, 180_000);
