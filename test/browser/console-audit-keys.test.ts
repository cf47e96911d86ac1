import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  expectQuiet,
  goTo,
  press,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const SEED = `mutation($text: String!) {
  createUserGroup(input: { providedId: "acme", name: "Acme" }) { userErrors { message } }
  putSiteConfig(input: { site: "docs", source: { text: $text } }) { userErrors { message } }
}`;
const SITE = '{ "name": "Docs", "navigation": [{ "group": "", "pages": ["a"] }] }';

const service = useConsole({ speed: { keyCacheMs: 0 } });
const browser = useChromium();
let key = "";
beforeEach(async () => {
  ({ secret: key } = await (await service().createAccount()).createKey());
  await callGraphql(service().url, key, SEED, { text: SITE });
});

describe("API keys and audit log in Chromium", () => {
  test("creates a key, shows it once, and revokes it", async () => {
    const watched = await signIn(browser(), service(), key, "#/keys");
    const { page } = watched;
    await press(page, "button", "New API key");
    await page.getByLabel("Name", { exact: true }).fill("CRM");
    await page.getByLabel("Expires after").selectOption("30 days");
    await page.keyboard.press("Enter");
    const secret = await page.getByLabel("API key", { exact: true }).inputValue();
    expect((await callGraphql(service().url, secret, "{ viewer { apiKey { scope } } }")).body).toEqual({
      data: { viewer: { apiKey: { scope: "READ" } } },
    });
    // As on pages without HTTPS. An open dialog covers the page and its notices.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await press(page, "button", "Copy API key");
    await page.getByRole("dialog").getByRole("status").getByText("press Ctrl+C").waitFor();
    expect(await page.getByRole("status").filter({ hasText: "press Ctrl+C" }).count()).toBe(1);
    await press(page, "button", "I have copied it");
    await page.getByText("in 30 days", { exact: true }).waitFor();
    const session = page.getByRole("row").filter({ hasText: "this session" });
    await session.getByRole("img", { name: "3 writes in 30 days, at most 3 on a day" }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const row = page.getByRole("row").filter({ hasText: "CRM" });
    await row.getByRole("button").press("Enter");
    await press(page, "button", "Revoke…");
    await press(page, "button", "Revoke key");
    await waitForMessage(page, "CRM was revoked.");
    await row.waitFor({ state: "detached" });
    // The button does not navigate away.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("API keys");
    await press(page, "link", "All");
    await row.getByText("revoked").waitFor();
    expect(await row.getByRole("button").count()).toBe(0);
    expect((await callGraphql(service().url, secret, "{ viewer { apiKey { scope } } }")).status).toBe(401);
    await expectQuiet(watched, key);
  });

  test("creates a key once when creation is retried after a lost reply", async () => {
    const { page } = await signIn(browser(), service(), key, "#/keys");
    let isLost = false;
    await page.route("**/graphql", async (route) => {
      if (isLost || !route.request().postData()?.includes("mutation CreateKey")) return route.fallback();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await press(page, "button", "New API key");
    await page.getByLabel("Name", { exact: true }).fill("CRM");
    await page.getByLabel("Expires after").selectOption("30 days");
    await page.keyboard.press("Enter");
    await page.getByText("The service is unreachable.").waitFor();
    await press(page, "button", "Create API key");
    await press(page, "button", "I have copied it");
    await page.getByRole("rowheader", { name: "CRM" }).waitFor();
    expect(await page.getByRole("rowheader", { name: "CRM" }).count()).toBe(1);
  });

  test("shows the audit log grouped by request, filtered by links and form, and exports it", async () => {
    const upsert = `mutation { upsertUserGroups(input: { userGroups: [
      { providedId: "a", name: "A" }, { providedId: "b", name: "=B" }, { providedId: "c", name: "C" }
    ] }) { userErrors { message } } }`;
    await callGraphql(service().url, key, upsert);
    const watched = await signIn(browser(), service(), key, "#/audit");
    const { page } = watched;
    await press(page, "button", "Group created (3)");
    await page.getByRole("listitem").filter({ hasText: "Group created" }).nth(2).waitFor();
    await page.getByRole("link", { name: "Filter by subject c" }).press("Enter");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(page.url()).toContain("#/audit?subject=c");
    await press(page, "link", "Clear filter");
    // The form is replaced by an empty one then.
    await page.getByRole("link", { name: "Clear filter" }).waitFor({ state: "detached" });
    await page.getByLabel("Action").selectOption("Group created");
    await page.getByLabel("Actor").fill("test");
    await page.getByLabel("From").fill("2020-01-01");
    await press(page, "button", "Filter");
    await page
      .getByText("Site configuration saved")
      .and(page.getByRole("link"))
      .waitFor({ state: "detached" });
    expect(page.url()).toContain("#/audit?action=USER_GROUP_CREATED&actor=test&from=2020-01-01");
    const downloaded = page.waitForEvent("download");
    await press(page, "button", "Export CSV");
    const csv = await text(await (await downloaded).createReadStream());
    expect(csv.split("\r\n").map((line) => line.split(",").slice(1, 3).join())).toEqual([
      "action,subjectName",
      ...["c", "b", "a", "acme"].map((name) => `"USER_GROUP_CREATED","${name}"`),
      "",
    ]);
    await page.getByLabel("To", { exact: true }).fill("2020-01-01");
    await press(page, "button", "Filter");
    await page.getByText("No entries match the filter").waitFor();
    await goTo(page, "#/audit?action=XX&from=garbage", "Audit log");
    await page.getByText("The filter “action” must be an action of the list, not “XX”.").waitFor();
    await page.getByText("The filter “from” must be a day such as 2026-11-22, not “garbage”.").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
    await goTo(page, "#/audit?subject=acme", "Audit log");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page, "button", "Copy Request ID");
    await waitForMessage(page, "Request ID copied.");
    const id = await page.evaluate("navigator.clipboard.readText()");
    await page.getByTitle(String(id)).filter({ visible: true }).waitFor();
    await page.getByRole("link", { name: "acme", exact: true }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
  });
});
