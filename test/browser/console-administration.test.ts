import { EventEmitter, once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { builtPages } from "../support/pages/built-pages.js";
import { openPage } from "../support/pages/chromium.js";
import {
  accountMenu,
  enterKey,
  expectQuiet,
  findBarriers,
  goTo,
  press,
  signIn,
  signOut,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";
import { callRest } from "../support/rest/rest-client.js";
import type { TestAccount } from "../support/service/test-service.js";
import { avoidMidnight } from "../support/service/utc-day.js";

await avoidMidnight();

/** Maximum size of the first page's scripts and styles with gzip, in bytes. */
const MAX_BYTES = 150_000;

/** Each page, with text that it shows once loaded. */
const PLACES = {
  "#/": ["Overview", "Nothing needs attention."],
  "#/groups": ["Groups", "Acme"],
  "#/groups?q=nobody": ["Groups", "No groups match your search"],
  "#/groups/acme": ["Acme", "Sample chart"],
  "#/groups/acme?tab=history": ["Acme", "Former values are kept"],
  "#/groups/acme?tab=code": ["Acme", "For your servers"],
  "#/groups/acme?tab=activity": ["Acme", "Group created"],
  "#/groups/nobody": ["Group not found", "Show all groups"],
  "#/new-group": ["New group", "Add schema"],
  "#/check-session": ["Why does the embed show nothing?", "Find out why"],
  "#/data-sources": ["Data sources", "Sales database"],
  "#/dashboard-tools": ["Dashboard tools", "No templates yet"],
  "#/new-dashboard-tool": ["Pick a tool", "Metabase"],
  "#/new-dashboard-tool/metabase": ["New template for Metabase", "Secret"],
  "#/sites": ["Sites", "docs"],
  "#/sites/docs": ["docs", "1 warning"],
  "#/new-site": ["New site", "No findings."],
  "#/webhooks": ["Webhooks", "No endpoints yet"],
  "#/audit": ["Audit log", "changes in one request"],
  "#/keys": ["API keys", "expires"],
  "#/nowhere": ["Page not found", "Go to the overview"],
} as const;
const SEED = `mutation($group: CreateUserGroupInput!, $text: String!) {
  createUserGroup(input: $group) { userErrors { message } }
  putSiteConfig(input: { site: "docs", source: { text: $text } }) { userErrors { message } }
}`;
/** Everything that the overview reports, beside the error rate. */
const TROUBLE = `mutation($expiresAt: DateTime!) {
  createUserGroup(input: { providedId: "bare", name: "Bare Ltd." }) { userErrors { message } }
  first: updateUserGroup(input: { by: { providedId: "bare" }, name: "Bare" }) { userErrors { message } }
  second: updateUserGroup(input: { by: { providedId: "bare" }, name: "Bare Inc." }) { userErrors { message } }
  createApiKey(input: { name: "CRM", scope: READ, expiresAt: $expiresAt }) { userErrors { message } }
  createWebhookEndpoint(input: { name: "Billing", url: "https://billing.example.com" }) { webhookEndpoint { id } }
}`;
const DISABLE =
  "mutation($id: ID!) { updateWebhookEndpoint(input: { id: $id, enabled: false }) { userErrors { message } } }";
const GROUP = { providedId: "acme", name: "Acme", mapping: [{ schemaId: "charts", dataSource: "sales" }] };
const SITE =
  '{ "name": "Docs", "colors": { "primary": "#0a7" }, "navigation": [{ "group": "", "pages": ["a"] }] }';

const service = useConsole({ speed: { keyCacheMs: 0 } });
const browser = useChromium();
let account: TestAccount;
let key = "";
let keyId = 0;
beforeEach(async () => {
  account = await service().createAccount();
  ({ secret: key, id: keyId } = await account.createKey());
  await callGraphql(service().url, key, SEED, { group: GROUP, text: SITE });
});

describe("console administration in Chromium", () => {
  test("creates, edits, finds and deletes data sources, and shows a duplicate ID next to its field", async () => {
    const { page } = await signIn(browser(), service(), key, "#/data-sources");
    await press(page, "button", "New data source");
    await page.getByLabel("External ID").fill("sales");
    await page.getByLabel("Name", { exact: true }).fill("Finance");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByLabel("External ID").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("External ID").fill("finance");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "Finance was created.");
    await page.getByRole("rowheader", { name: "Finance" }).waitFor();

    await press(page, "button", "Actions for Finance");
    await press(page, "button", "Edit…");
    await page.getByLabel("Name", { exact: true }).fill("Ledger");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "Ledger was saved.");
    await page.keyboard.press("/");
    await page.keyboard.type("ledg");
    await page.getByRole("rowheader", { name: "Sales database" }).waitFor({ state: "detached" });
    await press(page, "button", "Actions for Ledger");
    await press(page, "button", "Delete…");
    await press(page, "button", "Delete data source");
    await waitForMessage(page, "Ledger was deleted.");
    await press(page, "link", "Show all data sources");
    await press(page, "button", "Actions for Sales database");
    await press(page, "button", "Delete…");
    await page.getByRole("dialog", { name: "Sales database is in use" }).waitFor();
    await press(page, "button", "Close");
    await page.getByRole("link", { name: /groups? with Sales database/ }).press("Enter");
    await page.getByText("1 group found").waitFor();
  });

  test("opens with few bytes", async () => {
    const { page } = await signIn(browser(), service(), key, "#/");
    await page.getByText("Nothing needs attention.").waitFor();
    await page
      .getByRole("img", { name: /^\d+ calls? in 30 days/ })
      .first()
      .waitFor();
    const read = `performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).join(" ")`;
    const files = String(await page.evaluate(read)).match(/(?<=\/)assets\/\S+\.(?:js|css)(?= |$)/g) ?? [];
    const folder = await builtPages();
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, `${file}.gz`))).size));
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });

  test("asks for a new key when it expires during an edit, and keeps the input", async () => {
    const { page } = await signIn(browser(), service(), key, "#/groups/acme");
    await page.getByLabel("Name", { exact: true }).fill("Typed");
    await service().services.accounts.revokeKey(keyId);
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).isVisible()).toBe(false);
    await enterKey(page, (await account.createKey()).secret);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed");
    await press(page, "button", "Save");
    await waitForMessage(page, "The group was saved.");
    await signOut(page);
    await enterKey(page, (await (await service().createAccount()).createKey()).secret);
    await page.getByRole("heading", { name: "Group not found" }).waitFor();
  });

  test("signs out all tabs and signs them in again, and keeps what is not saved in one", async () => {
    const { page } = await signIn(browser(), service(), key, "#/groups/acme");
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Typed");
    const [other, third] = [await page.context().newPage(), await page.context().newPage()];
    for (const tab of [other, third]) {
      await tab.goto(`${service().url}/console/#/groups`);
      await tab.getByRole("link", { name: "Acme" }).waitFor();
    }
    await signOut(third);
    await other.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await other.getByText("Acme").count()).toBe(0);
    await page.getByRole("alert").filter({ hasText: "in another tab" }).waitFor();
    expect(await name.isVisible()).toBe(false);
    await expect.poll(() => service().services.eventStreams.open).toBe(0);
    await enterKey(third, key);
    await other.getByRole("link", { name: "Acme" }).waitFor();
    await name.waitFor();
    expect(await name.inputValue()).toBe("Typed");
  });

  test("accepts a new key when it expires in a dialog, which can be reopened", async () => {
    const { page } = await signIn(browser(), service(), key, "#/groups/acme");
    await press(page, "button", "Rotate token…");
    await service().services.accounts.revokeKey(keyId);
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    expect(await page.title()).toBe("Sign in – User groups");
    await enterKey(page, (await account.createKey()).secret);
    await press(page, "button", "Rotate token…");
    await press(page, "button", "Rotate token");
    await waitForMessage(page, "The token was rotated.");
    expect(await page.title()).toBe("Acme – User groups");
  });

  test("ignores a late 401 for a replaced key", async () => {
    const { page } = await signIn(browser(), service(), key, "#/groups/acme");
    const gate = new EventEmitter();
    const opened = once(gate, "open");
    await page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("mutation RotateToken")) return route.fallback();
      await opened;
      const error = { message: "The API key is revoked.", extensions: { code: "UNAUTHENTICATED" } };
      await route.fulfill({ status: 401, json: { errors: [error] } });
    });
    await press(page, "button", "Rotate token…");
    await press(page, "button", "Rotate token");
    await service().services.accounts.revokeKey(keyId);
    await page.evaluate('location.hash = "#/sites"');
    await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
    await enterKey(page, (await account.createKey()).secret);
    await page.getByRole("link", { name: "docs" }).waitFor();
    const answered = page.waitForResponse((response) => response.status() === 401);
    gate.emit("open");
    await (await answered).finished();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 50))");
    expect(await accountMenu(page).isVisible()).toBe(true);
  });

  test("shows errors with the request ID, and tries again by itself after those that are temporary", async () => {
    const { page } = await signIn(browser(), service(), key, "#/sites");
    await page.getByRole("link", { name: "docs" }).waitFor();
    const error = (message: string, code: string, retryAfter?: number) => ({
      errors: [{ message, extensions: { code, retryAfter } }],
    });
    const replies = [
      { status: 500, json: error("Something went wrong.", "INTERNAL") },
      {
        status: 429,
        headers: { "x-request-id": "request-1" },
        json: error("Too many requests.", "RATE_LIMITED", 2),
      },
      { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" },
    ];
    await page.route("**/graphql", async (route) => {
      if (!route.request().postData()?.includes("query Group(")) return route.fallback();
      const reply = replies.shift();
      await (reply ? route.fulfill(reply) : route.fallback());
    });
    await page.evaluate('location.hash = "#/groups/acme"');
    const problem = page.getByRole("alert");
    await problem.getByText("Something went wrong.").waitFor();
    await press(page, "button", "Try again");
    await problem.getByText("Too many requests. Try again in 2 s.").waitFor();
    expect(await problem.innerText()).toContain("Request request-1");
    await problem.getByText("The reply is not from the service (status 502).").waitFor();
    await page.getByRole("heading", { level: 1, name: "Acme", exact: true }).waitFor();
    expect(await problem.count()).toBe(0);
  });

  test("survives an outage: a reload waits in the frame, edits are kept, and nobody seems signed out", async () => {
    const { page } = await signIn(browser(), service(), key, "#/groups/acme");
    const outage = page.getByRole("alert").filter({ hasText: "The service is unreachable." });
    await page.getByRole("region", { name: "Preview" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Typed");
    await page.context().setOffline(true);
    await press(page, "button", "Save");
    await outage.waitFor();
    await accountMenu(page).press("Enter");
    await press(page, "button", "Sign out");
    await press(page, "button", "Leave without saving");
    await outage.filter({ hasText: "You could not be signed out." }).waitFor();
    await page.context().setOffline(false);
    await press(page, "button", "Save");
    await waitForMessage(page, "The group was saved.");
    await page.getByRole("heading", { level: 1, name: "Typed" }).waitFor();

    await page.route("**/console/session", (route) => route.abort());
    await page.reload();
    await outage.waitFor();
    await page.getByRole("navigation", { name: "Sections" }).getByText("Groups").waitFor();
    expect(await page.getByRole("heading", { name: "Sign in" }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.unroute("**/console/session");
    await page.getByRole("heading", { level: 1, name: "Typed" }).waitFor();
  });

  test("explains other secrets than API keys", async () => {
    const { page } = await openPage(browser(), `${service().url}/console/`);
    await enterKey(page, `ugt_${"a".repeat(43)}`);
    await page.getByText("This is a user group token").waitFor();
    await enterKey(page, "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln");
    await page.getByText("This is an embed session").waitFor();
    expect(await page.getByLabel("API key").getAttribute("aria-invalid")).toBe("true");
  });

  test("the overview answers whether all is well, draws 30 days in the colors of the theme, and links to what needs attention", async () => {
    const { accountId } = account;
    await service().query(
      "INSERT INTO request_count SELECT $1, 'Customer', current_date - age, 1000 + age, 1 FROM generate_series(0, 29) AS age",
      [accountId],
    );
    const watched = await signIn(browser(), service(), key, "#/");
    const { page } = watched;
    await page
      .getByRole("heading", { level: 2, name: "All is well: 1,000 calls today, 1 of them failed." })
      .waitFor();
    await page.getByRole("img", { name: "30 errors in 30 days, at most 1 on a day" }).waitFor();
    await press(page, "link", "Calls");
    await page.getByRole("heading", { level: 2, name: "Calls per day" }).waitFor();
    const large = page.getByRole("region", { name: "Calls per day" });
    const pixels = () => page.evaluate("document.querySelector('.cards canvas').toDataURL()");
    await page.locator(".cards canvas").first().waitFor();
    const light = await pixels();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(pixels).not.toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(pixels).toBe(light);
    await large.getByText("Show as table").press("Enter");
    expect(await large.getByRole("row").count()).toBe(31);
    expect(await large.getByRole("row").last().innerText()).toContain("1,029\t1\t");
    expect(await findBarriers(page)).toEqual([]);

    const expiresAt = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const { body } = await callGraphql(service().url, key, TROUBLE, { expiresAt });
    const { id } = Object(body).data.createWebhookEndpoint.webhookEndpoint;
    await callGraphql(service().url, key, DISABLE, { id });
    await service().query(
      "UPDATE request_count SET errors = 100 WHERE account_id = $1 AND day = current_date",
      [accountId],
    );
    await page.reload();
    // An admin disabled the endpoint.
    await page.getByRole("heading", { level: 2, name: "3 things need attention." }).waitFor();
    await service().query("UPDATE webhook_endpoint SET disabled_reason = 'failing' WHERE account_id = $1", [
      accountId,
    ]);
    await page.reload();
    await page.getByRole("heading", { level: 2, name: "4 things need attention." }).waitFor();
    const attention = page.getByRole("region", { name: "Needs attention" });
    expect(
      (await attention.getByRole("listitem").allInnerTexts()).map((text) => text.replace(/\s+/g, " ")),
    ).toEqual([
      "Webhook endpoints that fail: Billing Show endpoint",
      "API keys that expire within 30 days: CRM Create a key",
      "Calls that failed today: 10%, up from 0.1% in the week before Show errors",
      "Groups without mapping: 1 Show groups",
    ]);
    await page.getByRole("listitem").filter({ hasText: "Group changed Bare Inc. 2 times by" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "link", "Show errors");
    await page.getByRole("heading", { level: 2, name: "Errors per day" }).waitFor();
    await press(page, "link", "Show groups");
    await page.getByText("1 group found").waitFor();
    await press(page, "link", "Remove the filter Without mapping");
    await page.getByText("2 groups").waitFor();
    await expectQuiet(watched, key);

    const { secret } = await account.createKey({ scope: "read" });
    const reader = await signIn(browser(), service(), secret, "#/");
    await reader.page.getByRole("heading", { level: 2, name: "2 things need attention." }).waitFor();
    await reader.page.getByText("Webhooks and API keys are checked only with the scope admin.").waitFor();
    for (let index = 1; index <= 20; index += 1)
      await callRest(`${service().url}/api/user`, "GET", key, {
        user_group_id: `bare ${index}`,
        name: "Bare",
      });
    await reader.page.reload();
    await reader.page
      .getByRole("listitem")
      .filter({ hasText: "Groups without mapping: more than 20" })
      .waitFor();
    expect(reader.complaints).toEqual([]);
  });

  test("every page is accessible, also in dark mode and on small screens", async () => {
    const watched = await signIn(browser(), service(), key);
    const { page } = watched;
    const barriers: string[] = [];
    const check = async (place: string) => {
      // Wait for color transitions: axe would measure colors of neither mode.
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      const light = await findBarriers(page);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      // The other rules do not depend on the mode.
      const dark = await findBarriers(page, ["color-contrast"]);
      barriers.push(...[...light, ...dark].map((found) => `${place}: ${found}`));
    };
    for (const [place, [heading, text]] of Object.entries(PLACES)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await goTo(page, place, heading);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await check(place);
      await page.setViewportSize({ width: 390, height: 844 });
      await check(`${place}, narrow`);
      // 200 and 400 % of a window of 1280 px.
      for (const width of [640, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        if (isTooWide) barriers.push(`${place}: wider than ${width} px`);
      }
      const targets = await findBarriers(page, ["target-size"]);
      barriers.push(...targets.map((found) => `${place}, narrow: ${found}`));
    }
    await goTo(page, "#/keys", "API keys");
    await press(page, "button", "Menu: API keys");
    await check("the menu");
    await press(page, "link", "Groups");
    await press(page, "link", "Acme");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Sections" }).isVisible()).toBe(false);
    await press(page, "button", "Delete…");
    await check("a dialog");
    await page.keyboard.press("Escape");
    await signOut(page);
    await check("sign in");
    expect(barriers).toEqual([]);
    await expectQuiet(watched, key);
  });
});
