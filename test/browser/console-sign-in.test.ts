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
    await page.getByRole("button", { name: SIGN_IN }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "button", SIGN_IN);
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
    await press(page, "button", "Switch to other");
    await page.getByRole("button", { name: "Account other, ada@example.com" }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/#/groups`);
    expect(complaints).toEqual([]);
    expect(elsewhere.filter((address) => !address.startsWith(idp.url))).toEqual([]);
    expect(await page.evaluate("JSON.stringify([Object.keys(localStorage), document.cookie])")).toBe(
      '[["user-groups:recent"],""]',
    );
  });

  test("stay signed in after 15 minutes, with and without a refresh token", async () => {
    const { page } = await signInAs("#/groups");
    for (const hasRefreshTokens of [true, false]) {
      idp.hasRefreshTokens = hasRefreshTokens;
      await page.evaluate("location.hash = '#/groups'");
      await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
      await age(page, { rolesMs: ROLES_VALID_MS });
      await page.evaluate("location.hash = '#/sites'");
      await page.getByRole("heading", { level: 1, name: "Sites" }).waitFor();
      await page.getByText("No sites yet").first().waitFor();
      expect(page.url()).toBe(`${service().url}/console/#/sites`);
      await age(page, { rolesMs: ROLES_VALID_MS });
      await page.reload();
      await page.getByText("No sites yet").first().waitFor();
    }
  });

  test("see only the actions of their role, and get those of a new one without a reload, also in the playground", async () => {
    idp.people.set("ada", { groups: ["support"], name: "Ada" });
    const { page } = await signInAs("#/groups");
    await page.getByRole("button", { name: "Account demo, Ada" }).waitFor();
    for (const name of ["New group", "API keys"])
      expect(await page.getByRole("link", { name }).count()).toBe(0);
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

  test("can copy what they have not saved when their role no longer allows it", async () => {
    const { page } = await signInAs("#/new-group");
    await page.getByLabel("Name", { exact: true }).fill("Lost");
    await page.getByLabel("External ID").fill("lost");
    await press(page, "button", "Create group");
    await page.getByRole("heading", { level: 1, name: "Lost" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Typed");
    idp.people.set("ada", { ...ADA, groups: ["support"] });
    await age(page, { rolesMs: ROLES_VALID_MS });
    await press(page, "button", "Save");
    await page.getByText("Your role no longer allows changing groups.").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Typed");
    await page.getByRole("button", { name: "Copy Unsaved changes" }).waitFor();
    expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
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
    await press(page, "button", SIGN_IN);
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
    await press(page, "button", SIGN_IN);
    await page.getByRole("alert").filter({ hasText: "you have no role here" }).waitFor();
    // As if the callback was of another sign-in.
    await page.goto(`${service().url}/console/sign-in/callback?code=a&state=b`);
    const problem = page.getByRole("alert").filter({ hasText: "The sign-in did not succeed. Try again." });
    await problem.waitFor();
    expect(await problem.innerText()).toMatch(/Request [0-9a-f-]{36}/);
    expect(page.url()).toBe(`${service().url}/console/#/`);
    idp.people.set("ada", ADA);
    await press(page, "button", SIGN_IN);
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
    await press(page, "button", SIGN_IN);
    await expect.poll(() => page.url(), { timeout: 60_000 }).toMatch(/^chrome-error:/);
    await page.goto(`${service().url}/console/`);
    await page.getByText("Sign in with an API key").press("Enter");
    await enterKey(page, key);
    await accountMenu(page).waitFor();
  });
});

describe("a link of another site to the sign-in", () => {
  test("asks before it opens another account", async () => {
    const { page } = await signInAs("#/groups");
    for (const [from, to, link, route] of [
      ["demo", "other", "sign-in?account=other&silent=true&route=%23/keys", "#/keys"],
      ["other", "demo", "#/sign-in?account=demo&route=%23/keys", "#/keys"],
      ["demo", "other", "?sign-in=expired#/sign-in?account=other&route=javascript:alert(1)", "#/"],
    ] as const) {
      const session = await sessionOf(page);
      await followLink(page, link);
      await page.getByText(`This link opens the account ${to}. You are signed in to ${from}.`).waitFor();
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole("button", { name: `Account ${from}, ada@example.com` }).waitFor();
      await press(page, "button", "Stay");
      await page.waitForURL(`${service().url}/console/#/`);
      expect(await sessionOf(page)).toBe(session);
      await followLink(page, link);
      await press(page, "button", "Switch account");
      await page.getByRole("button", { name: `Account ${to}, ada@example.com` }).waitFor();
      expect(page.url()).toBe(`${service().url}/console/${route}`);
    }
  });

  test("asks also if the roles must be read again, and if an API key is signed in", async () => {
    const { page } = await signInAs("#/groups");
    // An account's name is text of the link: it must not push the answers off a narrow page.
    await page.setViewportSize({ width: 390, height: 800 });
    await followLink(page, `sign-in?account=${"globex".repeat(30)}`);
    await page.getByText("This link opens the account globexglobex").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    for (const hasRefreshTokens of [true, false]) {
      idp.hasRefreshTokens = hasRefreshTokens;
      await age(page, { rolesMs: ROLES_VALID_MS });
      await followLink(page, "sign-in?account=other&silent=true");
      await page.getByText("This link opens the account other. You are signed in to demo.").waitFor();
    }
    await page.context().clearCookies();
    await page.goto(`${service().url}/console/`);
    await page.getByText("Sign in with an API key").press("Enter");
    await enterKey(page, key);
    await accountMenu(page).waitFor();
    const session = await sessionOf(page);
    await followLink(page, "sign-in?account=other");
    await page.getByText("This link opens the account other.").waitFor();
    await press(page, "button", "Stay");
    await page.waitForURL(`${service().url}/console/#/`);
    expect(await sessionOf(page)).toBe(session);
  });

  test("asks nothing if it opens the same account or none, or nobody is signed in", async () => {
    const { page } = await openPage(browser(), `${service().url}/console/`);
    await followLink(page, "sign-in?account=other&route=%23/sites");
    await page.getByRole("button", { name: "Account other, ada@example.com" }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/#/sites`);
    const session = await sessionOf(page);
    for (const link of ["sign-in?account=other&route=%23/groups", "sign-in?route=%23/groups"]) {
      await followLink(page, link);
      await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
      expect(page.url()).toBe(`${service().url}/console/#/groups`);
      expect(await sessionOf(page)).toBe(session);
    }
  });

  test("to an account without a role leaves the session as it is", async () => {
    const { page } = await signInAs("#/groups");
    await followLink(page, "sign-in?account=third&route=%23/sites");
    await press(page, "button", "Switch account");
    await page
      .getByRole("alert")
      .filter({ hasText: "you have no role here, or not in this account" })
      .waitFor();
    await page.getByRole("button", { name: "Account demo, ada@example.com" }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/#/sites`);
  });

  test("signs nobody in again who has signed out in another tab, also at the provider", async () => {
    const { page } = await signInAs("#/groups");
    const other = await page.context().newPage();
    await followLink(other, "sign-in?account=other");
    await other.getByRole("heading", { name: "Switch to another account?" }).waitFor();
    await signOut(page);
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByRole("button", { name: SIGN_IN }).waitFor();
    expect(page.url()).toBe(`${service().url}/console/`);
    await other.getByRole("button", { name: SIGN_IN }).waitFor();
    expect(await sessionOf(other)).toBeUndefined();
  });
});

/** Follows a link to the console from a page of another site. */
async function followLink(page: Page, link: string): Promise<void> {
  const elsewhere = "http://elsewhere.example/";
  const body = `<a href="${service().url}/console/${link}">Open</a>`;
  await page.route(elsewhere, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(elsewhere);
  await page.getByRole("link", { name: "Open" }).click();
}

async function sessionOf(page: Page): Promise<string | undefined> {
  const cookies = await page.context().cookies(service().url);
  return cookies.find(({ name }) => name === SESSION)?.value;
}

async function signInAs(route: string): Promise<WatchedPage> {
  const watched = await openPage(browser(), `${service().url}/console/${route}`);
  await press(watched.page, "button", SIGN_IN);
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
