import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { createTestProcesses } from "../support/service/running-process.js";
import { startReceiver } from "../support/webhooks/receiver.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

test("a process delivers webhooks and finishes deliveries in flight when stopped", async () => {
  const dataDir = await processes.newPreparedDataDir();
  const start = (webhooks: string) =>
    processes.serve({ env: { DATA_DIR: dataDir, WEBHOOK_ALLOW_PRIVATE: "true", WEBHOOKS: webhooks } });
  const first = await start("false");
  const [key = ""] = /ugk_live_\w+/.exec(first.startUpText) ?? [];
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const receiver = await startReceiver(async () => {
    await held;
    return { status: 204 };
  });
  const create = `mutation ($url: String!) {
    createWebhookEndpoint(input: { name: "receiver", url: $url }) { secret }
    createUserGroup(input: { providedId: "acme", name: "Acme" }) { userGroup { id } }
  }`;
  const { body } = await callGraphql(first.url, key, create, { url: receiver.url });
  const { secret } = Object(body).data.createWebhookEndpoint;
  first.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);
  expect(receiver.received).toEqual([]);

  const second = await start("true");
  await expect.poll(() => receiver.received.length).toBe(1);
  second.kill("SIGTERM");
  answer();
  const { code, stderr } = await second.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(secret);
  const [request] = receiver.received;
  expect(new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {})).toEqual(request?.event);

  const third = await start("true");
  const list = "{ webhookDeliveries { nodes { state attempts } } }";
  expect((await callGraphql(third.url, key, list)).body).toEqual({
    data: { webhookDeliveries: { nodes: [{ state: "DELIVERED", attempts: 1 }] } },
  });
  third.kill("SIGTERM");
  await third.ended;
});
