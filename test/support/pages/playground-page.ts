import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, inject } from "vitest";

const NO_CHROMIUM = "no Chromium on the PATH, and CHROMIUM_PATH is not set";

/** Selectors of the playground's elements. */
export const QUERY = ".graphiql-query-editor .graphiql-editor";
export const VARIABLES = "section[aria-label=Variables] .graphiql-editor:not(.hidden)";
export const HEADERS = "section[aria-label=Headers] .graphiql-editor:not(.hidden)";
export const RESULT = ".result-window";
export const DOCS = ".graphiql-doc-explorer";
export const TABS = "[role=tab]";

/** Connects to the shared browser for the tests of a describe, which are skipped without one. */
export function useChromium(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const endpoint = inject("chromium");
    if (endpoint !== "") browser = await chromium.connect(endpoint);
  });
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(browser === undefined, NO_CHROMIUM));
  return () => {
    if (browser === undefined) throw new Error(NO_CHROMIUM);
    return browser;
  };
}

export function eventually<T>(read: () => T) {
  return expect.poll(read);
}

/** Waits for an element's text; the editors use no-break spaces and wrap long lines. */
export function shown(page: Page, selector: string) {
  const read = async () => (await page.locator(selector).allInnerTexts()).join(" ").replaceAll(/\s+/g, " ");
  return eventually(read);
}

export async function waitUntilStored(page: Page, query: string): Promise<void> {
  await eventually(() => page.evaluate('localStorage.getItem("graphiql:tabState")')).toContain(query);
}

export async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} textarea`).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

/** Uncomments the header and replaces <API_KEY> by the key. */
export async function putKey(page: Page, key: string): Promise<void> {
  await shown(page, HEADERS).toContain("<API_KEY>");
  await page.locator(`${HEADERS} textarea`).focus();
  for (const stroke of ["Control+Home", "ArrowDown", "Control+Slash", "End", "ArrowLeft"]) {
    await page.keyboard.press(stroke);
  }
  for (const _ of "<API_KEY>") await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.insertText(key);
  await shown(page, HEADERS).toContain(`"Authorization": "Token ${key}"`);
  await settle(page);
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  await shown(page, `${TABS}[aria-selected=true]`).toBe(name);
  await settle(page);
}

/** GraphiQL reads an editor's content 100 ms after a change; a timer set later in the page fires after that. */
async function settle(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => setTimeout(done, 200))");
}
