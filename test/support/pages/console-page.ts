import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { startTestService, type TestService, type TestServiceOptions } from "../service/test-service.js";
import { builtPages } from "./built-pages.js";
import { openPage, type WatchedPage } from "./chromium.js";

/** Starts the service with its console for a test file. @returns a getter for it */
export function useConsole(options: TestServiceOptions = {}): () => TestService {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startTestService({ ...options, console: true, pagesDirectory: await builtPages() });
  });
  afterAll(() => service?.close());
  return () => {
    if (!service) throw new Error("The service is there once the tests run.");
    return service;
  };
}

/** Opens the console at a route such as `#/groups` and signs in by keyboard. */
export async function signIn(
  browser: Browser,
  { url }: TestService,
  key: string,
  place = "#/groups",
): Promise<WatchedPage> {
  const watched = await openPage(browser, `${url}/console/${place}`);
  await enterKey(watched.page, key);
  await accountMenu(watched.page).waitFor();
  return watched;
}

/** The button that opens the account menu. It is there only while signed in. */
export function accountMenu(page: Page): Locator {
  return page.getByRole("button", { name: /^Account / });
}

export async function signOut(page: Page): Promise<void> {
  await accountMenu(page).press("Enter");
  await press(page, "button", "Sign out");
}

/** Types a key into the sign-in form. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
}

/** Navigates to a route by URL. */
export async function goTo(page: Page, place: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
}

/** Presses a button or follows a link by keyboard. */
export async function press(page: Page, role: "button" | "link", name: string): Promise<void> {
  // A key that is pressed on a disabled button is lost.
  const enabled = page.locator(":not(:disabled, [aria-disabled=true])");
  await page.getByRole(role, { name, exact: true }).and(enabled).press("Enter");
}

/** Waits for a success message. */
export async function waitForMessage(page: Page, text: string): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).waitFor();
}

/** The tags of WCAG 2.1, levels A and AA. */
export const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

/**
 * Runs axe on the current page.
 * @param rules the rules to check, or their tags; all by default
 */
export async function findBarriers(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in self"))) {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
  }
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) };
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`;
  const found = await page.evaluate(run);
  return Array.isArray(found) ? found : [`axe returned ${String(found)}`];
}

/** Expects no request to other hosts, no policy violation, no exception, and no key that scripts could read. */
export async function expectQuiet({ page, complaints, elsewhere }: WatchedPage, key: string): Promise<void> {
  expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  const kept = await page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])",
  );
  expect(kept).not.toContain(key);
  for (const cookie of await page.context().cookies()) {
    expect(cookie).toMatchObject({ name: "user_groups_session", httpOnly: true, sameSite: "Strict" });
    expect(cookie.value).not.toContain(key);
  }
  expect(await page.evaluate("indexedDB.databases()")).toEqual([]);
}
