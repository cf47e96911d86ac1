import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { WebhookEvent as ClientEvent } from "../../../clients/typescript/src/webhook.js";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../../src/domain/webhooks/webhook.js";
import { eventData } from "../../../src/persistence/shared/event-payload.js";
import { startService } from "../../support/service/test-service.js";

const service = await startService();

const id = (type: string) => Buffer.from(`${type}:5`).toString("base64url");
const userGroup = {
  id: id("UserGroup"),
  teamId: 5,
  providedId: "the subject",
  version: 3,
  changed: ["name"],
};
/** The data of each event, in the types of the client package. A new event does not compile without it. */
const DATA: { readonly [Event in WebhookEvent]: (ClientEvent & { readonly type: Event })["data"] } = {
  "user_group.created": { userGroup },
  "user_group.updated": { userGroup },
  "user_group.token_rotated": { userGroup },
  "user_group.deleted": { userGroup },
  "site_config.published": { siteConfig: { id: id("SiteConfig"), site: "the subject", revision: 3 } },
  "webhook_endpoint.disabled": { webhookEndpoint: { id: id("WebhookEndpoint") } },
};

test.each(WEBHOOK_EVENTS)("the data of %s is that of its object", async (event) => {
  const entry = "5 AS subject_id, 'the subject' AS subject_name, 3 AS version, '{name}'::text[] AS changed";
  const rows = await service.query(`SELECT ${eventData(event)} AS data FROM (SELECT ${entry}) AS entry`);
  expect(rows).toEqual([{ data: DATA[event] }]);
});

test.each(WEBHOOK_EVENTS)("the guide lists %s", async (event) => {
  expect(await readFile("docs/webhooks.md", "utf8")).toContain(`\`${event}\``);
});
