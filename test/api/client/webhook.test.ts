import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "../../../clients/typescript/src/index.js";
import { issueWebhookSecret, webhookHeaders } from "../../../src/domain/webhooks/attempt.js";

const EVENT = {
  id: "e-1",
  type: "user_group.updated",
  createdAt: "2026-11-21T12:00:00.000Z",
  environment: "Customer",
  data: { userGroup: { id: "x", teamId: 1, providedId: "ä", version: 2, changed: ["name"] } },
};
const body = JSON.stringify(EVENT);
const [secret, old, other] = [issueWebhookSecret(), issueWebhookSecret(), issueWebhookSecret()];
const headers = webhookHeaders("e-1", body, [secret, old], new Date());

describe("verifyWebhook", () => {
  test("accepts what the service signed with the current or the previous secret", async () => {
    for (const fitting of [secret, old]) {
      expect(await verifyWebhook({ body, headers, secret: fitting })).toEqual(EVENT);
    }
    expect(await verifyWebhook({ body: Buffer.from(body), headers: new Headers(headers), secret })).toEqual(
      EVENT,
    );
  });

  test("accepts other implementations of the standard", async () => {
    const timestamp = new Date();
    const signed = {
      "webhook-id": "e-2",
      "webhook-timestamp": String(Math.floor(timestamp.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("e-2", timestamp, body),
    };
    expect(await verifyWebhook({ body, headers: signed, secret })).toEqual(EVENT);
  });

  test.each([
    ["another secret", { secret: other }],
    ["another body", { body: body.replace("updated", "deleted") }],
    ["another id", { headers: { ...headers, "webhook-id": "e-2" } }],
    ["another time", { headers: { ...headers, "webhook-timestamp": "1" } }],
    ["no signature", { headers: { ...headers, "webhook-signature": undefined } }],
    ["a signature of another scheme", { headers: { ...headers, "webhook-signature": "v1a,AAAA v1" } }],
    ["a signature that is not base64", { headers: { ...headers, "webhook-signature": "v1,é v1," } }],
    ["a body that is not UTF-8", { body: Uint8Array.of(...Buffer.from(body), 0xff) }],
    ["an old timestamp", { headers: webhookHeaders("e-1", body, [secret], new Date(Date.now() - 301_000)) }],
    [
      "a future timestamp",
      { headers: webhookHeaders("e-1", body, [secret], new Date(Date.now() + 302_000)) },
    ],
  ])("rejects %s", async (_name, change) => {
    await expect(verifyWebhook({ body, headers, secret, ...change })).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  test("rejects signed content that is not an event", async () => {
    const text = "[]";
    const signed = webhookHeaders("e-1", text, [secret], new Date());
    await expect(verifyWebhook({ body: text, headers: signed, secret })).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  test("distinguishes an invalid secret from an invalid request, without revealing it", async () => {
    for (const invalid of ["s3cret", "whsec_", "whsec_ä"]) {
      const failure = await verifyWebhook({ body, headers, secret: invalid }).catch((error) => error);
      expect(failure).toBeInstanceOf(TypeError);
      expect(String(failure)).not.toMatch(/s3cret|ä/);
    }
  });
});
