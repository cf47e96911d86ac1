import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtPages } from "../support/pages/built-pages.js";
import { openPage, type Screen } from "../support/pages/chromium.js";
import { findBarriers } from "../support/pages/console-page.js";
import { eventually, shown, useChromium } from "../support/pages/playground-page.js";
import { callRest } from "../support/rest/rest-client.js";
import { startTestService, type TestService } from "../support/service/test-service.js";

let service: TestService;
let reduced: TestService;
beforeAll(async () => {
  const pagesDirectory = await builtPages();
  service = await startTestService({ pagesDirectory, console: true, docsDirectory: "/nonexistent" });
  const { target, owner } = service;
  reduced = await startTestService({ use: { target, owner }, pagesDirectory, playground: false });
});
afterAll(async () => {
  await reduced.close();
  await service.close();
});

describe("the start page and the page for unknown paths in Chromium", () => {
  const browser = useChromium();

  test("link the pages that the service serves, and show its URL", async () => {
    const all = await openPage(browser(), `${service.url}/`);
    for (const name of ["Console", "GraphQL", "REST API", "Documentation"])
      await all.page.getByLabel("Product").getByRole("link", { name }).waitFor();
    await shown(all.page, "pre").toContain(`curl -X GET "${service.url}/api/user"`);
    await all.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await all.page.getByRole("button", { name: "Copy" }).click();
    await all.page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await all.page.evaluate("navigator.clipboard.readText()");
    expect(copied).toMatch(/^curl -X GET "http[^"]+\/api\/user"[\s\S]+"color": "#0b6e4f"}}'$/);
    await all.page.getByText("Version 0.").waitFor();
    expect(all).toMatchObject({ complaints: [], elsewhere: [] });
    for (const path of ["/", "/nowhere/else/"]) {
      const { page, complaints, elsewhere } = await openPage(browser(), reduced.url + path);
      await page.getByLabel("Product").getByRole("link", { name: "REST API" }).waitFor();
      expect(
        await page.getByRole("link", { name: /Console|playground|Documentation|Quick|^GraphQL$/i }).count(),
      ).toBe(0);
      expect(complaints.filter((each) => !each.includes("404"))).toEqual([]);
      expect(elsewhere).toEqual([]);
      await page.getByLabel("Product").getByRole("link", { name: "REST API" }).click();
      await page.waitForURL(`${reduced.url}/api/docs`);
    }
  });

  test.each([
    { path: "/", width: 390, colorScheme: "dark" },
    { path: "/nowhere/else/", width: 1440, colorScheme: "light" },
  ] as const)("are accessible in both themes: %o", async ({ path, ...screen }) => {
    const { page } = await openPage(browser(), service.url + path, screen);
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.getByLabel("Product").getByRole("link", { name: "Console" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await eventually(() => findBarriers(page)).toEqual([]);
    const before = await ground();
    await page.getByLabel("Theme").selectOption(screen.colorScheme === "dark" ? "Light" : "Dark");
    expect(await ground()).not.toBe(before);
    await page.reload();
    expect(await ground()).not.toBe(before);
    await eventually(() => findBarriers(page)).toEqual([]);
  });
});

// Swagger UI renders slowly on a busy machine.
describe("API documentation in Chromium", () => {
  const browser = useChromium();
  const open = (screen?: Screen) => openPage(browser(), `${service.url}/api/docs`, screen);
  const operation = (name: string) => `#operations-User_groups-${name}`;
  const unfold = (page: Page, name: string) =>
    page.locator(`${operation(name)} .opblock-summary-control`).click();

  test("shows a curl command for calls that a browser cannot send, and can try the rest", async () => {
    const account = await service.createAccount();
    const { secret } = await account.createKey();
    const group = { user_group_id: "acme", name: "Acme Inc." };
    await callRest(`${service.url}/api/user`, "GET", secret, group);
    const { page, complaints, elsewhere } = await open();
    await unfold(page, "getOrCreateUserGroup");
    const get = operation("getOrCreateUserGroup");
    await shown(page, `${get} .opblock-description`).toContain('curl -X GET "$BASE_URL/api/user"');
    await page.locator(`${get} .responses-wrapper`).waitFor();
    expect(await page.locator(`${get} .try-out`).count()).toBe(0);
    const copies = page.locator(`${get} .responses-wrapper`).getByRole("button", { name: /^Copy/ });
    expect(await copies.count()).toBe(await page.locator(`${get} tr.response`).count());

    await page.getByRole("button", { name: "Authorize" }).click();
    // The user need not type the word Token.
    await page.locator(".auth-container input").fill(secret);
    await page.locator(".auth-btn-wrapper .authorize").click();
    await page.locator(".btn-done").click();
    await unfold(page, "updateUserGroup");
    const put = operation("updateUserGroup");
    await page.locator(`${put} .try-out__btn`).click();
    await page.locator(`${put} .execute`).click();
    await shown(page, `${put} .live-responses-table`).toContain('"region": "US"');
    await shown(page, `${put} .curl-command`).toContain(`Authorization: Token ${secret}`);
    expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain(secret);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("is accessible in both themes, on a phone and a large screen", async () => {
    const { page, complaints, elsewhere } = await open({ width: 390, colorScheme: "dark" });
    await unfold(page, "rotateUserGroupToken");
    await page.locator(`${operation("rotateUserGroupToken")} .responses-wrapper`).waitFor();
    await page
      .locator(`${operation("rotateUserGroupToken")} details summary`)
      .first()
      .click();
    const isDark = () => page.evaluate("document.documentElement.classList.contains('dark-mode')");
    const expectAccessible = async () => {
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await eventually(() => findBarriers(page)).toEqual([]);
    };
    expect(await isDark()).toBe(true);
    await expectAccessible();
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.getByLabel("Theme").selectOption("Light");
    expect(await isDark()).toBe(false);
    await expectAccessible();
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });
});
