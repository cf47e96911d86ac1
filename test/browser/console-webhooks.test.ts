import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  expectQuiet,
  findBarriers,
  press,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";
import { startReceiver } from "../support/webhooks/receiver.js";
import { FAST } from "../support/webhooks/tenant.js";

const FOCUSED = "document.activeElement.value";

/** Longer than any test. */
const PAUSE_MS = 3_600_000;

const service = useConsole({
  webhooks: {
    allowPrivate: true,
    times: { ...FAST, retryDelaysMs: [PAUSE_MS] },
    breaker: { pauseAfterFailures: 2, firstPauseMs: PAUSE_MS, maxPauseMs: PAUSE_MS },
  },
});
const browser = useChromium();
let key = "";
beforeAll(() => service().services.webhookDispatcher.start(service().server.log));
beforeEach(async () => {
  key = (await (await service().createAccount()).createKey()).secret;
});

describe("webhooks in Chromium", () => {
  test("an endpoint is created, receives a test event, and its delivery is sent again", async () => {
    const receiver = await startReceiver();
    const watched = await signIn(browser(), service(), key, "#/webhooks");
    const { page } = watched;
    await page.getByRole("button", { name: "New endpoint" }).first().press("Enter");
    await page.getByLabel("Name", { exact: true }).fill("CRM");
    await page.getByLabel("URL").fill("ftp://crm.example.com");
    await page.getByLabel("Selected events").check();
    await page.getByLabel("Group deleted").check();
    await page.keyboard.press("Enter");
    await page.getByText(/^Must be a URL/).waitFor();
    expect(await page.evaluate(FOCUSED)).toBe("ftp://crm.example.com");
    await page.getByLabel("URL").fill(receiver.url);
    await page.keyboard.press("Enter");
    const secret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
    await press(page, "button", "I have copied it");
    await page.getByRole("heading", { level: 1, name: "CRM" }).waitFor();
    await page.getByText("No deliveries yet").waitFor();
    expect(await page.content()).not.toContain(secret);

    await press(page, "button", "Send test event");
    await waitForMessage(page, /^The test event was accepted after \d+ ms: status 204\.$/);
    const delivery = page.getByRole("row").filter({ hasText: "Test event" });
    await delivery.getByText("delivered").waitFor();
    const [request] = receiver.received;
    expect(new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {})).toMatchObject({
      type: "webhook_endpoint.test",
    });
    await delivery.getByRole("button").press("Enter");
    const dialog = page.getByRole("dialog", { name: "Test event" });
    await dialog.getByText('"type": "webhook_endpoint.test"').waitFor();
    expect(await dialog.innerText()).toContain("204");
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "button", "Send again");
    await expect.poll(() => receiver.received.length).toBe(2);
    await expectQuiet(watched, key);
  });

  test("failed deliveries are found and retried, and a paused endpoint is tested and resumed", async () => {
    let status = 500;
    const receiver = await startReceiver(() => ({ status, body: "No such tenant\nat line 7" }));
    const run = (query: string) => callGraphql(service().url, key, query);
    await run(
      `mutation { createWebhookEndpoint(input: { name: "CRM", url: "${receiver.url}" }) { secret } }`,
    );
    for (const name of ["a", "b", "c"])
      await run(
        `mutation { createUserGroup(input: { providedId: "${name}", name: "N" }) { userGroup { id } } }`,
      );
    const { page } = await signIn(browser(), service(), key, "#/webhooks");
    await page.getByRole("link", { name: "CRM" }).press("Enter");
    await page.getByText(/Deliveries are paused until/).waitFor();
    await press(page, "button", "Send test event");
    await waitForMessage(page, /^The test event failed after \d+ ms: status 500\. Reply: “No such tenant”$/);
    await press(page, "button", "Resume");
    await waitForMessage(page, "Deliveries are resumed. If they fail, they are paused again.");
    await page.getByText(/^The last \d attempts failed/).waitFor();

    status = 204;
    await press(page, "link", "With failed attempts");
    const failed = page.getByRole("row", { name: /Group created/ });
    await expect.poll(() => failed.count()).toBe(3);
    expect(await findBarriers(page)).toEqual([]);
    await failed.first().getByRole("button").press("Enter");
    await press(page, "button", "Retry now");
    await expect.poll(() => failed.count()).toBe(2);
    await press(page, "button", "Retry all");
    await waitForMessage(page, "Sent again from now on: 3 events.");
    await page.getByText("No such deliveries").waitFor();
  });

  test("an endpoint is changed, disabled, enabled and deleted, and its secret is rotated", async () => {
    const create = `mutation { createWebhookEndpoint(input: { name: "CRM", url: "http://127.0.0.1:9/hook" }) {
      secret webhookEndpoint { id } userErrors { message } } }`;
    const { body } = await callGraphql(service().url, key, create);
    const { page } = await signIn(browser(), service(), key, "#/webhooks");
    await page.getByRole("link", { name: "CRM" }).press("Enter");
    await press(page, "button", "Send test event");
    await page.getByText(/attempts? failed: The request failed: ECONNREFUSED/).waitFor();

    await press(page, "button", "Edit…");
    await page.getByLabel("Name", { exact: true }).fill("Billing");
    await page.getByLabel("Selected events").check();
    await press(page, "button", "Save");
    await page.getByText("Select at least one event.").waitFor();
    expect(await page.evaluate(FOCUSED)).toBe("USER_GROUP_CREATED");
    await page.getByLabel("Group created").check();
    await press(page, "button", "Save");
    await waitForMessage(page, "Billing was saved.");
    await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();

    const { webhookEndpoint } = Object(body).data.createWebhookEndpoint;
    await press(page, "button", "Edit…");
    await callGraphql(
      service().url,
      key,
      `mutation { updateWebhookEndpoint(input: { id: "${webhookEndpoint.id}", url: "http://127.0.0.1:9/new" }) { userErrors { code } } }`,
    );
    await page.getByLabel("Name", { exact: true }).fill("Outdated");
    await press(page, "button", "Save");
    await page.getByText("The webhook endpoint has version 3, not 2. Read it again.").waitFor();
    await press(page, "button", "Cancel");
    await page.getByText("http://127.0.0.1:9/new").waitFor();
    await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();

    await press(page, "button", "Rotate secret…");
    await press(page, "button", "Rotate secret");
    const secret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify(body)).not.toContain(secret);
    await press(page, "button", "I have copied it");

    await press(page, "button", "Disable…");
    await press(page, "button", "Disable endpoint");
    await waitForMessage(page, "Billing was disabled.");
    await press(page, "button", "Enable");
    await waitForMessage(page, "Billing was enabled.");
    await press(page, "button", "Delete…");
    await page.getByLabel("Type Billing to confirm").fill("Billing");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "Billing was deleted.");
    await page.getByText("No endpoints yet").waitFor();
  });
});
