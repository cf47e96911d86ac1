import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CONSOLE_SESSION_SECONDS,
  ROLES_VALID_MS,
} from "../../src/services/authentication/console-sessions.js";
import { openPage, type WatchedPage } from "../support/pages/chromium.js";
import {
  accountMenu,
  enterKey,
  findBarriers,
  goTo,
  press,
  signOut,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { RESULT, shown, useChromium } from "../support/pages/playground-page.js";
import { olderSession, startIdentityProvider } from "../support/programs/identity-provider.js";

const ADA = { groups: ["platform"], email: "ada@example.com", email_verified: true };
const SESSION = "user_groups_session";
const SIGN_IN = "Sign in with your identity provider";

const idp = await startIdentityProvider();
afterAll(() => idp.close());
const service = useConsole({
  identityProvider: idp.options([
    { claim: "groups", value: "support", account: "demo", scope: "embed" },
    { claim: "groups", value: "platform", account: "demo", scope: "admin" },
    { claim: "groups", value: "platform", account: "other", scope: "read" },
  ]),
});
const browser = useChromium();
let key = "";
beforeAll(async () => {
  const { accounts } = service().services;
  for (const name of ["demo", "other"]) await accounts.ensure(name);
  key = (await (await service().createAccount()).createKey()).secret;
  idp.serve(service().url);
});
beforeEach(() => {
  Object.assign(idp, { visitor: "ada", isDown: false, hasRefreshTokens: true });
  idp.people.set("ada", ADA);
});

describe("people sign in to the console in Chromium", () => {
  test("by keyboard, switch environments and accounts, and are named in the audit log", async () => {
    const watched = await openPage(browser(), `${service().url}/console/#/groups`);
    const { page, complaints, elsewhere } = watched;
    await page.getByRole("link", { name: SIGN_IN }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "link", SIGN_IN);
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/#/groups`);
    await press(page, "button", "Testing");
    await page.getByRole("button", { name: "Testing", pressed: true }).waitFor();
    await goTo(page, "#/new-group", "New group");
    await page.getByLabel("Name", { exact: true }).fill("Acme");
    await page.getByLabel("External ID").fill("acme");
    await press(page, "button", "Create group");
    await page.getByRole("heading", { level: 1, name: "Acme", exact: true }).waitFor();
    await goTo(page, "#/audit", "Audit log");
    await page.getByRole("link", { name: "ada@example.com" }).waitFor();
    await page.getByText("person or operator").last().waitFor();
    await goTo(page, "#/groups", "Groups");
    await accountMenu(page).press("Enter");
    await page.getByText("Signed in as ada@example.com with the scope admin").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "link", "Switch to other");
    await page.getByRole("button", { name: "Account other, ada@example.com" }).waitFor();
    expect(complaints).toEqual([]);
    expect(elsewhere.filter((address) => !address.startsWith(idp.url))).toEqual([]);
    expect(await page.evaluate("JSON.stringify([Object.keys(localStorage), document.cookie])")).toBe(
      '[["user-groups:recent"],""]',
    );
  });

  test("see only the actions of their role", async () => {
    idp.people.set("ada", { groups: ["support"], name: "Ada" });
    const { page } = await signInAs("#/groups");
    await page.getByRole("button", { name: "Account demo, Ada" }).waitFor();
    expect(await page.getByRole("link", { name: "New group" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0);
  });

  test.each([true, false])(
    "stay signed in after 15 minutes, with a refresh token: %s",
    async (hasRefreshTokens) => {
      idp.hasRefreshTokens = hasRefreshTokens;
      const { page } = await signInAs("#/groups");
      await age(page, { rolesMs: ROLES_VALID_MS });
      await page.evaluate("location.hash = '#/sites'");
      await page.getByRole("heading", { level: 1, name: "Sites" }).waitFor();
      await page.getByText("No sites yet").first().waitFor();
      expect(page.url()).toBe(`${service().url}/console/#/sites`);
      await age(page, { rolesMs: ROLES_VALID_MS });
      await page.reload();
      await page.getByText("No sites yet").first().waitFor();
    },
  );

  test("get the actions of a new role, and stay signed in to the playground, without a reload", async () => {
    idp.people.set("ada", { groups: ["support"], name: "Ada" });
    const { page } = await signInAs("#/groups");
    const playground = await page.context().newPage();
    await playground.goto(`${service().url}/graphql`);
    await playground.getByText("demo · Customer").waitFor();
    idp.people.set("ada", ADA);
    await age(page, { rolesMs: ROLES_VALID_MS });
    await playground.getByLabel("Execute query").click();
    await shown(playground, RESULT).toContain("totalCount");
    // The tab of the console has not sent a request.
    await page.getByRole("link", { name: "API keys" }).waitFor();
  });

  test("keep what they have not saved when they have to sign in again", async () => {
    idp.hasRefreshTokens = false;
    const { page } = await signInAs("#/new-group");
    await page.getByLabel("Name", { exact: true }).fill("Unsaved");
    await page.getByLabel("External ID").fill("unsaved");
    await age(page, { rolesMs: ROLES_VALID_MS });
    await press(page, "button", "Create group");
    await page.getByText("Your session has ended: it has expired").waitFor();
    const opened = page.context().waitForEvent("page");
    await press(page, "link", SIGN_IN);
    await accountMenu(await opened).waitFor();
    await press(page, "button", "Create group");
    await waitForMessage(page, "Unsaved was created.");
  });

  test("sign in again after 12 hours", async () => {
    const { page } = await signInAs("#/groups");
    await age(page, { sessionMs: CONSOLE_SESSION_SECONDS * 1000 });
    await page.reload();
    await press(page, "link", SIGN_IN);
    await accountMenu(page).waitFor();
    await age(page, { sessionMs: CONSOLE_SESSION_SECONDS * 1000 });
    // The session at the provider has ended, too.
    await page.context().clearCookies({ name: "_session" });
    await page.evaluate("location.hash = '#/sites'");
    await page.getByRole("alert").filter({ hasText: "Your session has ended. Sign in again." }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/#/sites`);
  });

  test("lose a removed role when the roles are read again, and cannot sign in again", async () => {
    const { page } = await signInAs("#/groups");
    idp.people.set("ada", { groups: [] });
    await page.evaluate("location.hash = '#/sites'");
    await page.getByText("No sites yet").first().waitFor();
    await age(page, { rolesMs: ROLES_VALID_MS });
    await page.evaluate("location.hash = '#/data-sources'");
    await page
      .getByRole("alert")
      .filter({ hasText: "You no longer have a role in the account demo." })
      .waitFor();
    await page.reload();
    await press(page, "link", SIGN_IN);
    await page.getByRole("alert").filter({ hasText: "you have no role here" }).waitFor();
  });

  test("are told that a sign-in with another state or nonce did not succeed", async () => {
    const { page } = await openPage(browser(), `${service().url}/console/`);
    const start = await page.context().request.get(`${service().url}/console/sign-in`, { maxRedirects: 0 });
    const target = start.headers()["location"] ?? "";
    for (const place of [
      `${service().url}/console/sign-in/callback?code=a&state=b`,
      target.replace(/nonce=[^&]+/, "nonce=another"),
    ]) {
      await page.goto(place);
      const problem = page.getByRole("alert").filter({ hasText: "The sign-in did not succeed. Try again." });
      await problem.waitFor();
      expect(await problem.innerText()).toMatch(/Request [0-9a-f-]{36}/);
      expect(page.url()).toBe(`${service().url}/console/#/`);
    }
    await press(page, "link", SIGN_IN);
    await accountMenu(page).waitFor();
  });

  test("wait for the provider, or use an API key, while it is down", async () => {
    const { page } = await signInAs("#/groups");
    const visitWhileDown = async (route: string) => {
      await age(page, { rolesMs: ROLES_VALID_MS });
      idp.isDown = true;
      await page.evaluate(`location.hash = "#/${route}"`);
      await page.getByText("The identity provider cannot be used at the moment.").waitFor();
    };
    await visitWhileDown("sites");
    idp.isDown = false;
    await page.getByText("No sites yet").waitFor();
    await visitWhileDown("data-sources");
    await page.context().clearCookies();
    await page.reload();
    // The provider's page may still work if the service cannot reach it, so the browser opens it.
    await press(page, "link", SIGN_IN);
    await page.waitForURL((url) => !url.href.startsWith(service().url));
    await page.goto(`${service().url}/console/`);
    await enterKey(page, key);
    await accountMenu(page).waitFor();
  });

  test("sign out at the provider, too", async () => {
    const { page } = await signInAs("#/groups");
    await signOut(page);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByRole("link", { name: SIGN_IN }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/`);
    await page.goto(`${service().url}/console/sign-in?silent=true`);
    await page.getByRole("alert").filter({ hasText: "Your session has ended." }).waitFor();
  });
});

async function signInAs(route: string): Promise<WatchedPage> {
  const watched = await openPage(browser(), `${service().url}/console/${route}`);
  await press(watched.page, "link", SIGN_IN);
  await accountMenu(watched.page).waitFor();
  return watched;
}

async function age(page: Page, by: Parameters<typeof olderSession>[2]): Promise<void> {
  const cookies = await page.context().cookies(service().url);
  const cookie = cookies.find(({ name }) => name === SESSION);
  if (!cookie) throw new Error("There is no session.");
  const value = await olderSession(service().services.consoleSessions, cookie.value, by);
  await page.context().addCookies([{ ...cookie, value }]);
}
