import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readConsoleDocuments } from "../../src/http/pages/console-documents.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { builtConsole } from "../support/pages/built-console.js";
import {
  enterKey,
  expectQuiet,
  goTo,
  press,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";
import { startTestService } from "../support/service/test-service.js";

const CREATE =
  "mutation($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { message } } }";
const UPDATE =
  "mutation($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) { userErrors { message } } }";
const READ = `query($id: String!) {
  userGroup(by: { providedId: $id }) { name properties token mapping { schemaId dataSource { providedId } } }
}`;
const GROUPS = 60;

const encryptionKey = randomBytes(32);
const service = useConsole({ encryptionKey, demoKey: () => keys.read });
const browser = useChromium();
const keys = { admin: "", write: "", embed: "", read: "" };
beforeAll(async () => {
  const account = await service().createAccount();
  for (const scope of ["admin", "write", "embed", "read"] as const)
    keys[scope] = (await account.createKey({ scope })).secret;
  const userGroups = Array.from({ length: GROUPS }, (_, index) => ({
    providedId: `customer/${index} ?#`,
    name: `Customer ${String(index).padStart(2, "0")}`,
    mapping: [{ schemaId: "charts", dataSource: index === 7 ? "support" : "sales" }],
  }));
  await run(CREATE, { input: { userGroups } });
});

describe("user groups in the console in Chromium", () => {
  test("asks for the key again after a reload and after signing out", async () => {
    const watched = await signIn(browser(), service(), keys.admin);
    const { page } = watched;
    await page.reload();
    await enterKey(page, keys.admin);
    await press(page, "button", "Sign out");
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(await page.getByText("Customer 00").count()).toBe(0);
    await press(page, "button", "Use the demo key");
    await page.getByRole("link", { name: "Customer 00" }).waitFor();
    expect(await page.getByRole("banner").innerText()).toContain("read");
    await expectQuiet(watched, keys.admin);
  });

  test("offers only what the key's scope allows", async () => {
    const sections = (page: Page) => page.getByRole("navigation", { name: "Sections" }).innerText();
    const { page: reader } = await signIn(browser(), service(), keys.read);
    await reader.getByRole("link", { name: "Customer 00" }).press("Enter");
    await reader.getByText("the scope read, which does not allow reading tokens").waitFor();
    expect(await reader.getByLabel("Name", { exact: true }).getAttribute("readonly")).toBe("");
    expect(await reader.getByRole("button").allInnerTexts()).toEqual(["Skip to content", "Sign out"]);
    expect(await sections(reader)).toBe("Groups\nData sources\nSites");
    await goTo(reader, "#/audit", "Audit log");
    await reader.getByRole("alert").filter({ hasText: "`admin` scope" }).waitFor();
    const { page: embedder } = await signIn(browser(), service(), keys.embed);
    await embedder.getByRole("link", { name: "Customer 00" }).press("Enter");
    await embedder.getByText("Embeds this group's dashboards").waitFor();
    expect(await embedder.getByRole("button", { name: "Rotate token…" }).count()).toBe(0);
    const { page: writer } = await signIn(browser(), service(), keys.write);
    await writer.getByRole("link", { name: "New group" }).waitFor();
    expect(await sections(writer)).toBe("Groups\nData sources\nSites");
  });

  test("pages through and finds groups, and supports the back button", async () => {
    const { page } = await signIn(browser(), service(), keys.admin);
    const first = () => page.getByRole("rowheader").first().innerText();
    await page.getByText(`${GROUPS} groups`).waitFor();
    await press(page, "link", "Next");
    await page.getByRole("link", { name: "Customer 25" }).waitFor();
    expect(await first()).toBe("Customer 25");
    await press(page, "link", "Next");
    await page.getByRole("link", { name: "Customer 59" }).waitFor();
    await press(page, "link", "Previous");
    await page.getByRole("link", { name: "Customer 25" }).waitFor();
    await page.getByLabel("Search for").fill("customer 1");
    await page.keyboard.press("Enter");
    await page.getByText("10 groups found").waitFor();
    await page.getByRole("link", { name: "Customer 25" }).waitFor({ state: "detached" });
    expect(await first()).toBe("Customer 10");
    await page.getByLabel("Search by").selectOption("Data source ID is");
    await page.getByLabel("Search for").fill("support");
    await page.keyboard.press("Enter");
    await page.getByText("1 group found").waitFor();
    await page.goBack();
    await page.getByText("10 groups found").waitFor();
    expect(await page.getByLabel("Search for").inputValue()).toBe("customer 1");
    await page.getByLabel("Search for").fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("No groups match your search.").waitFor();
  });

  test("creates, edits, rotates and deletes a group", async () => {
    const watched = await signIn(browser(), service(), keys.write, "#/new-group");
    const { page } = watched;
    await page.getByLabel("External ID").fill("customer/1 ?#");
    await page.getByLabel("Name").fill("Acme");
    await press(page, "button", "Create group");
    await page.getByText("with this ID already exists").waitFor();
    expect(await page.getByLabel("External ID").getAttribute("aria-invalid")).toBe("true");
    const id = "acme/1?x=1#%";
    await page.getByLabel("External ID").fill(id);
    await press(page, "button", "Create group");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();

    await page.getByLabel("Properties").fill('{"tier": "gold"');
    await page.getByText(/^Not JSON: /).waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByLabel("Properties").fill('{"tier": "gold"}');
    await press(page, "button", "Add schema");
    await page.getByLabel("Schema 1", { exact: true }).fill("charts");
    const source = page.getByLabel("Data source of schema 1");
    await source.fill("nowhere");
    await press(page, "button", "Save");
    await page.getByText('no data source "nowhere"').waitFor();
    expect(await page.evaluate("document.activeElement.value")).toBe("nowhere");
    expect(await page.locator("datalist option").allTextContents()).toEqual([
      "Sales database",
      "Support database",
    ]);
    await source.fill("support");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "The group was saved.");
    const { userGroup: saved } = await run(READ, { id });
    expect(saved).toMatchObject({
      properties: { tier: "gold" },
      mapping: [{ schemaId: "charts", dataSource: { providedId: "support" } }],
    });

    const token = page.getByRole("textbox", { name: "Token" });
    expect(await token.getAttribute("type")).toBe("password");
    await press(page, "button", "Show");
    expect(await token.getAttribute("type")).toBe("text");
    await press(page, "button", "Rotate token…");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Rotate token…");
    await page.keyboard.press("Enter");
    await press(page, "button", "Rotate");
    await waitForMessage(page, "The token was rotated.");
    const { userGroup: rotated } = await run(READ, { id });
    expect(rotated.token).not.toBe(saved.token);
    expect(await token.inputValue()).toBe(rotated.token);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page, "button", "Copy");
    await waitForMessage(page, "Token copied.");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(rotated.token);
    // As on pages without HTTPS.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await press(page, "button", "Copy");
    await waitForMessage(page, "press Ctrl+C");
    expect(await page.evaluate("String(getSelection())")).toBe(rotated.token);

    await press(page, "button", "Delete group…");
    await page.getByLabel(`Type ${id} to confirm`).fill("acme");
    expect(await page.getByRole("button", { name: "Delete", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel(`Type ${id} to confirm`).fill(id);
    await page.keyboard.press("Enter");
    await waitForMessage(page, "Acme was deleted.");
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    expect(await run(READ, { id })).toEqual({ userGroup: null });
    await expectQuiet(watched, keys.write);
  });

  test("does not overwrite another user's changes without asking", async () => {
    const id = "customer/3 ?#";
    const { page } = await signIn(browser(), service(), keys.write, `#/groups/${encodeURIComponent(id)}`);
    await page.getByLabel("Properties").fill('{"mine": true}');
    await run(UPDATE, { input: { by: { providedId: id }, name: "Theirs" } });
    await press(page, "button", "Save");
    await page.getByText("was saved while you were editing. Changed: name").waitFor();
    await press(page, "button", "Overwrite with my changes");
    await waitForMessage(page, "The group was saved.");
    expect((await run(READ, { id })).userGroup).toMatchObject({ name: "Theirs", properties: { mine: true } });
    await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor();
  });

  test("works with persisted queries only", async () => {
    const { target, owner } = service();
    const consoleDirectory = await builtConsole();
    const persistedQueries = Object.fromEntries(await readConsoleDocuments(consoleDirectory));
    const options = { use: { target, owner }, encryptionKey, consoleDirectory, persistedQueries };
    const strict = await startTestService(options);
    onTestFinished(() => strict.close());
    const { page } = await signIn(browser(), strict, keys.read);
    await page.getByText(/^\d\d groups$/).waitFor();
    await page.getByRole("link", { name: "Customer 02" }).waitFor();
  });

  test("asks before leaving unsaved changes", async () => {
    const { page } = await signIn(browser(), service(), keys.write, `#/groups/customer%2F4%20%3F%23`);
    await page.getByLabel("Name", { exact: true }).fill("Changed");
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.message());
      void (questions.length === 1 ? dialog.dismiss() : dialog.accept());
    });
    await press(page, "link", "Sites");
    await expect.poll(() => questions.length).toBe(1);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Changed");
    await press(page, "link", "Sites");
    await page.getByRole("heading", { level: 1, name: "Sites" }).waitFor();
    expect(questions).toHaveLength(2);
  });
});

async function run(query: string, variables: Readonly<Record<string, unknown>>) {
  const { body } = await callGraphql(service().url, keys.admin, query, variables);
  const { data, errors } = Object(body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
