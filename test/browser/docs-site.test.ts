import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtDocs, builtPages } from "../support/pages/built-pages.js";
import { openPage } from "../support/pages/chromium.js";
import { findBarriers, WCAG } from "../support/pages/console-page.js";
import { eventually, useChromium } from "../support/pages/playground-page.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

/** The label of VitePress's search button leaves out the letter of its shortcut, which it shows. */
const SHORTCUT = /^label-content-name-mismatch: .*DocSearch/;

/** Words of readers, with the page that the search lists first. */
const FIRST_PAGES: Readonly<Record<string, string>> = {
  "403": "refused-requests",
  alternatives: "why",
  angular: "frameworks",
  backup: "backup",
  cors: "cors-and-iframes",
  docker: "deployment",
  "edge runtime": "typescript-client",
  "embed session expiry": "embedding",
  erase: "access-and-erasure",
  explo: "migrate-from-explo",
  failover: "database",
  "feature flag": "why",
  forbidden: "refused-requests",
  gdpr: "access-and-erasure",
  "go live": "before-production",
  grafana: "integrations/grafana",
  hasura: "integrations/hasura",
  helm: "deployment",
  "how many groups": "questions",
  iframe: "cors-and-iframes",
  "invite user": "console-sign-in",
  "keyboard shortcut": "console-editing",
  kubernetes: "deployment",
  "leaked key": "leaked-secret",
  metabase: "integrations/metabase",
  migrate: "migrate-from-explo",
  "next.js": "nextjs",
  nextjs: "nextjs",
  ngrok: "questions",
  outage: "failures",
  pgbouncer: "database",
  postgraphile: "postgraphile",
  "power bi": "integrations",
  preview: "console-preview",
  price: "questions",
  "rate limit": "rate-limits",
  react: "typescript-client",
  "rename an id": "questions",
  "rotate token": "leaked-secret",
  "rows per user": "questions",
  "several groups per customer": "questions",
  "slow webhooks": "failures",
  sso: "console-sign-in",
  superset: "integrations/superset",
  svelte: "frameworks",
  tableau: "integrations",
  terraform: "questions",
  upgrade: "upgrading",
  vue: "frameworks",
  "webhook signature": "webhook-checklist",
  windows: "questions",
  wsl: "questions",
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    docsDirectory: await builtDocs(),
    pagesDirectory: await builtPages(),
    console: true,
  });
}, 600_000);
afterAll(() => service?.close());

describe("the documentation in Chromium", () => {
  const browser = useChromium();

  test("finds a page by its words, without another host", async () => {
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/docs`);
    expect(page.url()).toBe(`${service.url}/docs/`);
    await page.locator("#local-search button").click();
    await page.locator(".VPLocalSearchBox input").fill("idempotency");
    await page.locator(".VPLocalSearchBox .result").first().click();
    await eventually(() => page.url()).toMatch(/\/docs\/[\w/-]+#[\w-]+$/);
    expect(page.url()).not.toContain("/decisions/");
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("lists guides first, also for words that they do not use", async () => {
    const { page, complaints } = await openPage(browser(), `${service.url}/docs/`);
    await page.locator("#local-search button").click();
    const first = page.locator(".VPLocalSearchBox .result").first();
    for (const [words, path] of Object.entries(FIRST_PAGES)) {
      await page.locator(".VPLocalSearchBox input").fill(words);
      const readPath = async () => (await first.getAttribute("href"))?.split("#")[0];
      await expect.poll(readPath, { message: words }).toBe(`/docs/${path}`);
    }
    expect(complaints).toEqual([]);
  });

  test("links the other pages and shares the selected theme with them", async () => {
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/docs/recipes/python`);
    const isDark = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme === 'dark'");
    expect(await isDark()).toBe(false);
    await page.locator(".VPNavBarAppearance .VPSwitchAppearance").click();
    expect(await isDark()).toBe(true);
    await page.locator(".VPNavBar nav").getByText("REST API").click();
    await page.waitForURL(`${service.url}/api/docs`);
    const theme = page.getByLabel("Theme");
    await eventually(() => theme.inputValue()).toBe("dark");
    await theme.selectOption("light");
    await page.locator(".site-header").getByText("Documentation").click();
    await page.waitForURL(`${service.url}/docs/`);
    expect(await isDark()).toBe(false);
    await theme.waitFor({ state: "detached" });
    await page.locator(".VPNavBarTitle a").click();
    await page.waitForURL(`${service.url}/`);
    expect(await theme.inputValue()).toBe("light");
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test.each([
    { path: "nothing", width: 1440, colorScheme: "light" },
    { path: "settings", width: 390, colorScheme: "dark" },
    { path: "recipes/python", width: 1440, colorScheme: "light" },
  ] as const)("is accessible: %o", async ({ path, ...screen }) => {
    const { page, complaints, elsewhere } = await openPage(browser(), `${service.url}/docs/${path}`, screen);
    await page.locator("h1").waitFor();
    const isDark = await page.evaluate("document.documentElement.classList.contains('dark')");
    expect(isDark).toBe(screen.colorScheme === "dark");
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await eventually(async () =>
      (await findBarriers(page, WCAG)).filter((each) => !SHORTCUT.test(each)),
    ).toEqual([]);
    const isKnown = path !== "nothing";
    expect({ complaints, elsewhere }).toEqual({
      complaints: isKnown ? [] : [expect.stringContaining("404")],
      elsewhere: [],
    });
  });
});

test("pages, files that they link to and missing pages are sent with their type and policy", async () => {
  const get = async (path: string) => {
    const reply = await fetch(`${service.url}/docs/${path}`);
    const { status, headers } = reply;
    return {
      status,
      type: headers.get("content-type"),
      policy: headers.get("content-security-policy") ?? "",
    };
  };
  const page = await get("decisions/");
  expect(page).toMatchObject({ status: 200, type: "text/html; charset=utf-8" });
  expect(page.policy).toMatch(/script-src 'self' 'sha256-[\w+/=]+' 'sha256-[\w+/=]+';/);
  const text = {
    status: 200,
    type: "text/plain; charset=utf-8",
    policy: "default-src 'none'; frame-ancestors 'none'",
  };
  expect(await get("files/deploy/prometheus/alerts.yml")).toEqual(text);
  for (const path of ["nothing", "..%2findex", "assets", "%2e%2e/"]) {
    expect((await get(path)).status, path).toBe(404);
  }
});
