import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { UserGroupsClient } from "../../../clients/typescript/src/client.js";
import { callGraphql } from "../graphql/graphql-client.js";
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

/** Selects a tab by keyboard. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name, exact: true }).press("Enter");
}

/** Waits for a success message. */
export async function waitForMessage(page: Page, text: string | RegExp): Promise<void> {
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

export const CREATE =
  "mutation($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { message } } }";
export const READ = `query($id: String!) {
  userGroup(by: { providedId: $id }) { name properties token mapping { schemaId dataSource { providedId } } }
}`;
export const GROUPS = 60;

interface ConsoleGroups {
  readonly service: () => TestService;
  readonly encryptionKey: Buffer;
  /** Keys of the account's Customer environment by scope, and a Testing admin key. */
  readonly keys: Record<"admin" | "write" | "embed" | "read" | "testing", string>;
  /** Runs an operation with the admin key. */
  run(query: string, variables: Readonly<Record<string, unknown>>): Promise<ReturnType<typeof JSON.parse>>;
}

/** Starts the service with its console and 60 groups, `Customer 00` to `Customer 59`. The demo key has scope read. */
export function useConsoleGroups(): ConsoleGroups {
  const encryptionKey = randomBytes(32);
  const keys = { admin: "", write: "", embed: "", read: "", testing: "" };
  const service = useConsole({ encryptionKey, tokenGraceSeconds: 60, demoKey: () => keys.read });
  const run: ConsoleGroups["run"] = async (query, variables) => {
    const { body } = await callGraphql(service().url, keys.admin, query, variables);
    const { data, errors } = Object(body);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  beforeAll(async () => {
    const account = await service().createAccount();
    for (const scope of ["admin", "write", "embed", "read"] as const)
      keys[scope] = (await account.createKey({ scope })).secret;
    keys.testing = (await account.createKey({ environment: "Testing" })).secret;
    const userGroups = Array.from({ length: GROUPS }, (_, index) => ({
      providedId: `customer/${index} ?#`,
      name: `Customer ${String(index).padStart(2, "0")}`,
      mapping: [{ schemaId: "charts", dataSource: index === 7 ? "support" : "sales" }],
    }));
    await run(CREATE, { input: { userGroups } });
  });
  return { service, encryptionKey, keys, run };
}

/** Runs code that the console shows: `curl`, `TypeScript` or `Python`. @param key the API key @returns what it prints */
export async function runSnippet(language: string, key: string, code: string): Promise<string> {
  const env = { ...process.env, KEY: key, USER_GROUPS_API_KEY: key };
  if (language === "TypeScript") {
    const body = code.replace(/^import .*$/m, "").replace("await ", "return ");
    await new Function("UserGroupsClient", "process", body)(UserGroupsClient, { env });
    return "";
  }
  const [program, option] = language === "curl" ? ["sh", "-c"] : ["python3", "-c"];
  return (await promisify(execFile)(program ?? "", [option ?? "", code], { env })).stdout;
}
