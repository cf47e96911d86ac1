import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/service/test-service.js";
import { startReceiver } from "../support/webhooks/receiver.js";
import { createTenant, type WebhookTenant } from "../support/webhooks/tenant.js";

const EVENTS = 300;
const BACKLOG = 500;
/** In each of two accounts, one of them that of the healthy endpoint. */
const HANGING = 3;
/** Maximum requests in flight per endpoint. */
const IN_FLIGHT = 4;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ webhooks: { allowPrivate: true } });
});
afterAll(() => service.close());

/** Inserts deliveries to an endpoint, each with a subject of its own. */
async function enqueue(tenant: WebhookTenant, name: string, count: number): Promise<void> {
  await service.query(
    `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
      SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', gen_random_uuid(), '{}'
      FROM webhook_endpoint, generate_series(1, $3) WHERE account_id = $1 AND url LIKE '%' || $2`,
    [tenant.accountId, name, count],
  );
}

test("a healthy endpoint is served while others of its account and of another one hang", async () => {
  const good = await createTenant(service);
  const other = await createTenant(service);
  const receiver = await startReceiver();
  await good.listen(`${receiver.url}/good`);
  const hanging = await startReceiver(() => new Promise(() => undefined));
  for (const tenant of [good, other]) {
    for (let count = 0; count < HANGING; count += 1) await tenant.listen(`${hanging.url}/hanging`);
    await enqueue(tenant, "/hanging", BACKLOG);
  }
  service.services.webhookDispatcher.start(service.server.log);
  const full = 2 * HANGING * IN_FLIGHT;
  await expect.poll(() => hanging.received.length).toBe(full);
  await enqueue(good, "/good", EVENTS);
  await expect.poll(() => receiver.received.length).toBe(EVENTS);
  // Behind the others it would have had to wait for the timeouts of many of their requests.
  expect(hanging.received.length).toBeLessThan(4 * full);
});
