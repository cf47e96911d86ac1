import type { Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { UserGroupsClient } from "../../clients/typescript/src/client.js";
import { readConsoleDocuments } from "../../src/http/pages/pages.js";
import { builtPages } from "../support/pages/built-pages.js";
import {
  accountMenu,
  CREATE,
  expectQuiet,
  findBarriers,
  goTo,
  openTab,
  press,
  READ,
  runSnippet,
  signIn,
  signOut,
  useConsoleGroups,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";
import { startTestService } from "../support/service/test-service.js";

const UPDATE =
  "mutation($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) { userErrors { message } } }";

const { service, encryptionKey, keys, run } = useConsoleGroups();
const browser = useChromium();

describe("user groups in the console in Chromium", () => {
  test("stays signed in after a reload, and asks for the key after signing out", async () => {
    const watched = await signIn(browser(), service(), keys.admin);
    const { page } = watched;
    await page.reload();
    await page.getByRole("link", { name: "Customer 59" }).waitFor();
    await expectQuiet(watched, keys.admin);
    await signOut(page);
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.getByLabel("API key").inputValue()).toBe("");
    expect(await page.getByText("Customer 59").count()).toBe(0);
    await page.reload();
    await press(page, "button", "Use the demo key");
    await page.getByRole("link", { name: "Customer 59" }).waitFor();
    await accountMenu(page).press("Enter");
    await page.getByText("Signed in with an API key of scope read").waitFor();
    await expectQuiet(watched, keys.admin);
  });

  test("offers only what the key's scope allows", async () => {
    const sections = (page: Page) => page.getByRole("navigation", { name: "Sections" }).innerText();
    const { page: reader } = await signIn(browser(), service(), keys.read);
    await reader.getByRole("link", { name: "Customer 59" }).press("Enter");
    expect(await reader.getByLabel("Name", { exact: true }).getAttribute("readonly")).toBe("");
    await openTab(reader, "Sessions and code");
    await reader.getByText("the scope read, which does not allow reading tokens").waitFor();
    for (const name of ["Save", "Rotate token…", "New embed session…", "Delete…", "Add schema"])
      expect(await reader.getByRole("button", { name }).count()).toBe(0);
    expect(await sections(reader)).toBe("Overview\nGroups\nData sources\nSites");
    await goTo(reader, "#/audit", "This page needs the scope admin");
    await goTo(reader, "#/new-group", "This page needs the scope write");
    await reader.getByText("You are signed in with the scope read.").waitFor();
    expect(await findBarriers(reader)).toEqual([]);
    const { page: embedder } = await signIn(browser(), service(), keys.embed);
    await embedder.getByRole("link", { name: "Customer 59" }).press("Enter");
    await openTab(embedder, "Sessions and code");
    await embedder.getByText("cannot renew embed sessions").waitFor();
    expect(await embedder.getByRole("button", { name: "Rotate token…" }).count()).toBe(0);
    const { page: writer } = await signIn(browser(), service(), keys.write);
    await writer.getByRole("link", { name: "New group" }).waitFor();
    expect(await sections(writer)).toBe("Overview\nGroups\nData sources\nSites");
  });

  test("undoes a change, compares former values and restores them", async () => {
    const providedId = "history";
    await run(CREATE, {
      input: { userGroups: [{ providedId, name: "First", properties: { tier: "gold" } }] },
    });
    const { page } = await signIn(browser(), service(), keys.admin, `#/groups/${providedId}`);
    await openTab(page, "History");
    await page.getByText("The group has no former values.").waitFor();
    await openTab(page, "Properties and mapping");
    await page.getByLabel("Name", { exact: true }).fill("Second");
    await press(page, "button", "Save");
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
    await press(page, "button", "Undo");
    await waitForMessage(page, "The change was undone.");
    await page.getByRole("heading", { level: 1, name: "First" }).waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await openTab(page, "History");
    const changes = page.getByRole("list", { name: "Changes, newest first" });
    await expect
      .poll(() => changes.textContent())
      .toMatch(/Name: Second → changed to First.*Name: First → changed to Second/);
    await press(page, "button", "Restore version 2");
    await press(page, "button", "Restore version");
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
    await changes.getByText("Version 4").waitFor();
    expect(await findBarriers(page)).toEqual([]);

    // By another author, whose name the row has: not of who replaces the values next.
    const client = new UserGroupsClient({ baseUrl: service().url, apiKey: keys.write });
    await client.userGroups.update({ providedId, name: "Third", propertiesPatch: { tier: null, seats: 5 } });
    await run(UPDATE, { input: { by: { providedId }, name: "Fourth" } });
    const { userGroup: saved } = await run(
      "query($id: String!) { userGroup(by: { providedId: $id }) { history(first: 2) { nodes { replacedBy } } } }",
      { id: providedId },
    );
    const [fourth, third] = saved.history.nodes;
    await changes.getByText(`Version 6 by ${fourth.replacedBy}`).waitFor();
    await changes.getByText(`Version 5 by ${third.replacedBy}`).waitFor();
    await press(page, "button", "Compare version 5 with the one before");
    const dialog = page.getByRole("dialog", { name: "Change to version 5" });
    await dialog.getByText("seats: not set").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "button", "Restore Property tier");
    await waitForMessage(page, "Property tier was restored.");
    const { userGroup } = await run(READ, { id: providedId });
    expect(userGroup).toMatchObject({ name: "Fourth", properties: { tier: "gold", seats: 5 } });
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
    const property = page.getByLabel("New property", { exact: true });
    await property.fill("tier");
    await press(page, "button", "Create group");
    await page.getByText("The property “tier” has not been added.").waitFor();
    await property.fill("");
    await press(page, "button", "Create group");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    // Not to the empty form.
    await page.goBack();
    await page.waitForURL((url) => !url.hash.includes("group"));
    await page.goForward();

    await page.getByRole("tab", { name: "JSON" }).press("Enter");
    const json = page.getByLabel("Properties as JSON");
    await json.fill('{"tier": "gold"');
    await page.getByText(/^Not JSON: /).waitFor();
    await press(page, "button", "Save");
    expect(await page.evaluate("document.activeElement.matches('.code-editor-host[data-invalid]')")).toBe(
      true,
    );
    await page.getByRole("tab", { name: "JSON" }).press("ArrowLeft");
    await press(page, "button", "Save");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Correct it as JSON first.");
    await page.getByRole("tab", { name: "Form" }).press("ArrowRight");
    await json.fill('{"tier": "gold"}');
    await page.getByRole("tab", { name: "JSON" }).press("ArrowLeft");
    expect(await page.getByLabel("tier", { exact: true }).inputValue()).toBe("gold");
    await page.getByLabel("New property", { exact: true }).fill("seats");
    await press(page, "button", "Save");
    await page.getByText("The property “seats” has not been added.").waitFor();
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("New property");
    await page.getByLabel("Type of the new property").selectOption("Number");
    await press(page, "button", "Add");
    expect(await page.getByText("has not been added").count()).toBe(0);
    await page.getByLabel("New property", { exact: true }).fill("other");
    await press(page, "button", "Add");
    await press(page, "button", "Remove property seats");
    expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("other");
    await page.getByLabel("New property", { exact: true }).fill("seats");
    await page.getByLabel("Type of the new property").selectOption("Number");
    await press(page, "button", "Add");
    await press(page, "button", "Remove property other");
    // A number can be deleted to type another one, and is not saved in between.
    await page.getByLabel("seats", { exact: true }).fill("");
    await press(page, "button", "Save");
    await page.getByText("The property “seats” is no number.").waitFor();
    expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("seats");
    await page.keyboard.type("12");
    await page.getByLabel("tier", { exact: true }).fill("#0b6e4f");
    await page.getByLabel("Color of tier").fill("#0B6E50");
    await press(page, "button", "Add schema");
    await page.getByLabel("Schema 1", { exact: true }).fill("charts");
    const source = page.getByLabel("Data source of schema 1");
    await source.selectOption("Support database (support)");
    await page.getByLabel("Schema 1", { exact: true }).focus();
    await page.keyboard.press("Control+S");
    await waitForMessage(page, "The group was saved.");
    const { userGroup: saved } = await run(READ, { id });
    expect(saved).toMatchObject({
      properties: { tier: "#0b6e50", seats: 12 },
      mapping: [{ schemaId: "charts", dataSource: { providedId: "support" } }],
    });

    await openTab(page, "Sessions and code");
    const token = page.getByRole("textbox", { name: "Token" });
    expect(await token.getAttribute("type")).toBe("password");
    await press(page, "button", "Show");
    expect(await token.getAttribute("type")).toBe("text");
    await press(page, "button", "Rotate token…");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Rotate token…");
    await page.keyboard.press("Enter");
    await page.getByText("can still be used to read for 1 minute").waitFor();
    await page.getByLabel("Stop the old token immediately").check();
    await press(page, "button", "Rotate token");
    await waitForMessage(page, "The token was rotated.");
    const { userGroup: rotated } = await run(READ, { id });
    expect(rotated.token).not.toBe(saved.token);
    expect(await run("query($token: String!) { userGroup(by: { token: $token }) { id } }", saved)).toEqual({
      userGroup: null,
    });
    expect(await token.inputValue()).toBe(rotated.token);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page, "button", "Copy Token");
    await waitForMessage(page, "Token copied.");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(rotated.token);
    // As on pages without HTTPS.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await press(page, "button", "Copy Token");
    await waitForMessage(page, "press Ctrl+C");
    expect(await page.evaluate("String(getSelection())")).toBe(rotated.token);

    await press(page, "button", "New embed session…");
    await press(page, "button", "Create embed session");
    const session = await page.getByRole("textbox", { name: "Embed session" }).inputValue();
    expect(session).toMatch(/^eyJ/);

    await press(page, "button", "Delete…");
    await page.getByLabel(`Type ${id} to confirm`).fill("acme");
    expect(await page.getByRole("button", { name: "Delete group", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel(`Type ${id} to confirm`).fill(id);
    await page.keyboard.press("Enter");
    await waitForMessage(page, "Acme was deleted.");
    await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
    expect(await run(READ, { id })).toEqual({ userGroup: null });
    await expectQuiet(watched, keys.write);
  });

  test("the code of a group sets it to its saved values, in each language", async () => {
    const id = "it's <new>";
    const mapping = [{ schemaId: "charts", dataSource: "sales" }];
    const group = {
      providedId: id,
      name: "Shown",
      properties: { seats: 12, isTrial: true, note: null },
      mapping,
    };
    await run(CREATE, { input: { userGroups: [group] } });
    const { page } = await signIn(browser(), service(), keys.write, `#/groups/${encodeURIComponent(id)}`);
    const code = page.getByRole("region", { name: "Code", exact: true });
    await openTab(page, "Sessions and code");
    const snippets = new Map<string, string>();
    for (const language of ["curl", "TypeScript", "Python"]) {
      await code.getByRole("tab", { name: language }).press("Enter");
      snippets.set(language, await code.getByRole("region", { name: language }).innerText());
    }
    for (const [language, snippet] of snippets) {
      await run(UPDATE, { input: { by: { providedId: id }, name: "Changed meanwhile", properties: null } });
      await runSnippet(language, keys.write, snippet);
      const { name, properties } = (await run(READ, { id })).userGroup;
      expect({ name, properties }, language).toEqual({ name: "Shown", properties: group.properties });
    }
  });

  test("shows a new embed session among the group's activity", async () => {
    const { page } = await signIn(browser(), service(), keys.admin, "#/groups/customer%2F4%20%3F%23");
    await openTab(page, "Activity");
    const sessions = page.getByRole("region", { name: "Activity" }).getByText("1 embed session");
    await page.getByRole("region", { name: "Activity" }).getByText("by").first().waitFor();
    expect(await sessions.count()).toBe(0);
    await press(page, "button", "New embed session…");
    await press(page, "button", "Create embed session");
    await sessions.waitFor();
  });

  test("shows a failed rotation in its dialog, and no longer once that is opened again", async () => {
    const { page } = await signIn(browser(), service(), keys.write, "#/groups/customer%2F5%20%3F%23");
    await press(page, "button", "Rotate token…");
    await page.route("**/graphql", (route) => route.abort());
    await press(page, "button", "Rotate token");
    const failure = page.getByRole("dialog").getByRole("alert");
    await failure.getByText("The service is unreachable.").waitFor();
    await press(page, "button", "Cancel");
    await press(page, "button", "Rotate token…");
    await page.getByRole("button", { name: "Rotate token", exact: true }).waitFor();
    expect(await failure.count()).toBe(0);
  });

  test("works with persisted queries only", async () => {
    const { target, owner } = service();
    const pagesDirectory = await builtPages();
    const persistedQueries = Object.fromEntries(await readConsoleDocuments(pagesDirectory));
    const options = {
      use: { target, owner },
      encryptionKey,
      console: true,
      pagesDirectory,
      persistedQueries,
    };
    const strict = await startTestService(options);
    onTestFinished(() => strict.close());
    const { page } = await signIn(browser(), strict, keys.read);
    await page.getByText(/^\d\d groups$/).waitFor();
    await page.getByRole("link", { name: "Customer 58" }).waitFor();
  });

  test("asks before leaving unsaved changes", async () => {
    const { page } = await signIn(browser(), service(), keys.write, `#/groups/customer%2F4%20%3F%23`);
    await page.getByLabel("Name", { exact: true }).fill("Discarded");
    await press(page, "button", "Discard changes");
    // The button is gone, and its form has the focus.
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Group");
    await page.getByLabel("Name", { exact: true }).fill("Changed");
    await press(page, "link", "Sites");
    await press(page, "button", "Stay");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Changed");
    await press(page, "link", "Sites");
    await press(page, "button", "Leave without saving");
    await page.getByRole("heading", { level: 1, name: "Sites" }).waitFor();
  });
});
