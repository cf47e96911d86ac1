import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { press, signIn, useConsoleGroups, waitForMessage } from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const { service, keys } = useConsoleGroups();
const browser = useChromium();

test("a customer is renamed, a key created and revoked, and a data source created and deleted by keyboard alone", async () => {
  const { page } = await signIn(browser(), service(), keys.admin, "#/overview");
  const type = async (text: string) => {
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  };

  await page.keyboard.press("Control+K");
  await page.locator("[cmdk-input]:focus").waitFor();
  await page.keyboard.type("Customer 33");
  await page.getByRole("option", { name: /Customer 33/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Customer 33" }).waitFor();
  await tabTo(page, "textbox", "Name");
  await type("Acme");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();

  await tabTo(page, "link", "API keys", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  await tabTo(page, "button", "New API key");
  await page.keyboard.press("Enter");
  await tabTo(page, "textbox", "Name");
  await type("Typed");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "API key created" }).waitFor();
  for (let count = 0; count < 3; count += 1) await page.keyboard.press("Escape");
  await tabTo(page, "button", "I have copied it");
  await page.keyboard.press("Enter");
  await page.getByRole("rowheader", { name: "Typed" }).waitFor();
  await tabTo(page, "button", /^Actions for Typed/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expectFocus(page, "button", /^Actions for Typed/);
  await page.keyboard.press("Enter");
  await tabTo(page, "button", "Revoke…");
  await page.keyboard.press("Enter");
  await tabTo(page, "button", "Revoke key");
  await page.keyboard.press("Enter");
  await waitForMessage(page, "Typed was revoked.");

  await tabTo(page, "link", "Data sources", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Data sources" }).waitFor();
  await tabTo(page, "button", "New data source");
  await page.keyboard.press("Enter");
  await tabTo(page, "textbox", "External ID");
  await type("typed");
  await tabTo(page, "textbox", "Name", "Shift+Tab");
  await type("Typed");
  await page.keyboard.press("Enter");
  await page.getByRole("rowheader", { name: /Typed/ }).waitFor();
  await tabTo(page, "button", "Actions for Typed");
  await page.keyboard.press("Enter");
  await tabTo(page, "button", "Delete…");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "button", "Delete data source");
  await page.keyboard.press("Enter");
  await waitForMessage(page, "Typed was deleted.");
});

test("a new secret is shown until it was copied, in this tab and environment, and is gone after signing out", async () => {
  const { page } = await signIn(browser(), service(), keys.admin, "#/keys");
  const dialog = page.getByRole("dialog", { name: "API key created" });
  const create = async () => {
    await press(page, "button", "New API key");
    await page.getByLabel("Name", { exact: true }).fill("Kept");
    await page.keyboard.press("Enter");
    return dialog.getByLabel("API key", { exact: true }).inputValue();
  };
  const secret = await create();
  await page.keyboard.press("Escape");
  await page.reload();
  expect(await dialog.getByLabel("API key", { exact: true }).inputValue()).toBe(secret);
  const other = await page.context().newPage();
  await other.goto(`${service().url}/console/#/keys`);
  await other.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  expect(await other.getByRole("dialog").count()).toBe(0);
  await other.close();
  await dialog.getByRole("button", { name: "I have copied it" }).press("Enter");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  expect(await dialog.count()).toBe(0);

  await create();
  expect(await page.evaluate("JSON.stringify(sessionStorage)")).toContain("ugk_");
  // From another tab: an open dialog covers the menu.
  const leaving = await page.context().newPage();
  await leaving.goto(`${service().url}/console/#/keys`);
  await leaving.getByRole("button", { name: /^Account / }).press("Enter");
  await press(leaving, "button", "Sign out");
  await expect.poll(() => page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("ugk_");
  expect(await dialog.count()).toBe(0);
});

/** Presses Tab until a control has the focus. */
async function tabTo(
  page: Page,
  role: "button" | "link" | "textbox",
  name: string | RegExp,
  key: "Tab" | "Shift+Tab" = "Tab",
): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    if (await hasFocus(page, role, name)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach the ${role} ${name}.`);
}

async function expectFocus(page: Page, role: "button", name: RegExp): Promise<void> {
  await expect.poll(() => hasFocus(page, role, name)).toBe(true);
}

async function hasFocus(
  page: Page,
  role: "button" | "link" | "textbox",
  name: string | RegExp,
): Promise<boolean> {
  const focused = page.getByRole(role, { name, exact: true }).and(page.locator(":focus"));
  return (await focused.count()) > 0;
}
