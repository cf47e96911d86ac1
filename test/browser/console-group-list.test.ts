import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  accountMenu,
  CREATE,
  expectQuiet,
  findBarriers,
  GROUPS,
  press,
  READ,
  signIn,
  useConsoleGroups,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const RENAME =
  "mutation($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) { userErrors { message } } }";
const DELETE = "mutation($by: UserGroupBy!) { deleteUserGroup(input: { by: $by }) { deletedUserGroupId } }";

/** What people type on a group's page, with the first command of the palette. */
const FIRST_COMMANDS: Readonly<Record<string, string>> = {
  "copy id": "Copy External ID",
  "create key": "New API key",
  dark: "Dark theme",
  history: "History",
  "log out": "Sign out",
  nwo: "New webhook endpoint",
  playground: "GraphQL",
  "remove group": "Delete…",
  rotate: "Rotate token…",
  save: "Save Ctrl S",
  testing: "Switch to Testing",
  theme: "System theme",
};

const { service, keys, run } = useConsoleGroups();
const browser = useChromium();

describe("the list of user groups in the console in Chromium", () => {
  test("pages through and finds groups, and supports the back button", async () => {
    const { page } = await signIn(browser(), service(), keys.admin);
    const first = () => page.getByRole("rowheader").first().innerText();
    await page.getByText(`${GROUPS} groups`).waitFor();
    await press(page, "link", "Next");
    await page.getByRole("link", { name: "Customer 34" }).waitFor();
    expect(await first()).toBe("Customer 34");
    await press(page, "link", "Next");
    await page.getByRole("link", { name: "Customer 00" }).waitFor();
    await press(page, "link", "Previous");
    await page.getByRole("link", { name: "Customer 34" }).waitFor();
    await page.getByRole("columnheader", { name: "Name" }).getByRole("link").press("Enter");
    await page.getByRole("link", { name: "Customer 00" }).waitFor();
    expect(await first()).toBe("Customer 00");
    expect(await page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe(
      "ascending",
    );
    await page.getByLabel("Rows per page").selectOption("50");
    await page.getByRole("link", { name: "Customer 49" }).waitFor();

    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("/");
    await page.keyboard.type("customer 1");
    await page.getByText("15 groups found").waitFor();
    await page.getByRole("link", { name: "Customer 49" }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Customer 10" }).waitFor();
    await page.goBack();
    await page.getByText("15 groups found").waitFor();
    const search = page.getByLabel("Search groups");
    expect(await search.inputValue()).toBe("customer 1");
    await search.fill("MER/59 ?");
    await page.getByText("1 group found").waitFor();
    const { userGroup } = await run(READ, { id: "customer/5 ?#" });
    await search.fill(userGroup.token);
    await page.getByText("This token belongs to Customer 05.").waitFor();
    expect(page.url()).not.toContain("ugt_");
    await search.fill("nobody");
    await page.getByText("No groups match your search").waitFor();
    await press(page, "link", "Show all groups");
    await page.getByText(`${GROUPS} groups`).waitFor();
    // The link of a row covers the row.
    await page.getByRole("row", { name: "Customer 53" }).click();
    await page.getByRole("heading", { level: 1, name: "Customer 53" }).waitFor();
  });

  test("rotates, exports and deletes selected groups", async () => {
    const userGroups = ["bulk-1", "bulk-2", "bulk-3"].map((id) => ({ providedId: id, name: `Bulk ${id}` }));
    await run(CREATE, { input: { userGroups } });
    const tokenOf = async (id: string) => (await run(READ, { id })).userGroup?.token;
    const before = await tokenOf("bulk-1");
    const { page } = await signIn(browser(), service(), keys.write, "#/groups?q=bulk-");
    await page.getByLabel("Select all on this page").check();
    await page.getByLabel("Select Bulk bulk-3").uncheck();
    await page.getByText("2 selected").waitFor();
    await press(page, "button", "Rotate tokens…");
    await press(page, "button", "Rotate tokens");
    await waitForMessage(page, "2 of 2 groups rotated.");
    expect(await tokenOf("bulk-1")).not.toBe(before);

    await page.getByLabel("Select Bulk bulk-1").check();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      press(page, "button", "Export selected"),
    ]);
    const exported = JSON.parse(await text(await file.createReadStream()));
    expect(exported).toEqual({ provided_id: "bulk-1", name: "Bulk bulk-1", properties: null, mapping: {} });

    await page.getByLabel("Select Bulk bulk-2").check();
    await press(page, "button", "Delete…");
    expect(await page.getByRole("button", { name: "Delete 2 groups", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Type 2 to confirm").fill("2");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "2 of 2 groups deleted.");
    await page.getByText("1 group found").waitFor();
    expect(await tokenOf("bulk-2")).toBeUndefined();
    await run(DELETE, { by: { providedId: "bulk-3" } });
  });

  test("exports all groups of a list, or those that match the search", async () => {
    const { secret } = await (await service().createAccount()).createKey();
    const userGroups = Array.from({ length: 251 }, (_, index) => ({
      providedId: `group-${index}`,
      name: `Group ${index}`,
      properties: { index },
      mapping: [{ schemaId: "charts", dataSource: "sales" }],
    }));
    await callGraphql(service().url, secret, CREATE, { input: { userGroups } });
    const { page } = await signIn(browser(), service(), secret);
    const read = async () => {
      const [file] = await Promise.all([page.waitForEvent("download"), press(page, "button", "Export")]);
      expect(file.suggestedFilename()).toBe("groups.jsonl");
      const lines = (await text(await file.createReadStream())).trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line));
    };
    // More than a page of the API.
    const all = await read();
    await waitForMessage(page, "251 groups exported.");
    expect(new Set(all.map((group) => group.provided_id)).size).toBe(251);
    expect(all.find((group) => group.provided_id === "group-7")).toEqual({
      provided_id: "group-7",
      name: "Group 7",
      properties: { index: 7 },
      mapping: { charts: "sales" },
    });
    await page.getByLabel("Search groups").fill("group-25");
    await page.getByText("2 groups found").waitFor();
    expect((await read()).map((group) => group.provided_id).toSorted()).toEqual(["group-25", "group-250"]);
  });

  test("filters by property, shows columns, and changes all groups that match after a preview", async () => {
    const { secret } = await (await service().createAccount()).createKey();
    const userGroups = Array.from({ length: 300 }, (_, index) => ({
      providedId: `group-${index}`,
      name: `Group ${index}`,
      properties: { plan: index < 270 ? "basic" : "pro" },
    }));
    await callGraphql(service().url, secret, CREATE, { input: { userGroups } });
    const { page } = await signIn(browser(), service(), secret);
    await page.getByText("Filters and columns").click();
    await page.getByLabel("Property name").fill("plan");
    await page.getByLabel("Value").fill("basic");
    await page.keyboard.press("Enter");
    await page.getByText("270 groups found").waitFor();
    await page.getByText("1–25 of 270").waitFor();
    expect(await page.getByRole("cell", { name: "basic", exact: true }).count()).toBe(25);
    await press(page, "link", "Next");
    await page.getByText("26–50 of 270").waitFor();
    await page.getByLabel("Select all on this page").check();
    await press(page, "button", "Select all 270 that match");
    await page.getByText("All 270 groups selected").waitFor();
    await press(page, "button", "Change…");
    await page.getByLabel("Property", { exact: true }).fill("plan");
    await page.getByRole("dialog").getByLabel("Value").fill("plus");
    await press(page, "button", "Preview");
    await page.getByText("270 groups would change.").waitFor();
    await press(page, "button", "Change 270 groups");
    await page.getByText("270 groups changed.").waitFor();
    const [file] = await Promise.all([page.waitForEvent("download"), press(page, "button", "Download")]);
    const lines = (await text(await file.createReadStream())).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(270);
    // A group that was changed since keeps its values.
    const later =
      'mutation { updateUserGroup(input: { by: { providedId: "group-0" }, name: "Later" }) { userErrors { code } } }';
    await callGraphql(service().url, secret, later);
    // The second click must not restore them again.
    await page.getByRole("button", { name: "Undo" }).dblclick();
    await page
      .getByRole("dialog")
      .filter({ hasText: "269 groups restored" })
      .getByText("1 refused")
      .waitFor();
    await press(page, "button", "Close");
    await page.getByText("269 groups found").waitFor({ state: "attached" });
    await press(page, "link", "Remove the filter plan is basic");
    await page.getByText("300 groups").waitFor();
    await page.getByRole("columnheader", { name: "plan" }).waitFor();
    await page.getByLabel("Properties as columns").fill("");
    await page.keyboard.press("Enter");
    await page.getByRole("columnheader", { name: "plan" }).waitFor({ state: "detached" });
  });

  test("deletes and rotates groups of several pages, and reports those that are gone", async () => {
    const { secret } = await (await service().createAccount()).createKey();
    const userGroups = Array.from({ length: 26 }, (_, index) => ({
      providedId: `group-${index}`,
      name: `Group ${index}`,
    }));
    await callGraphql(service().url, secret, CREATE, { input: { userGroups } });
    const { page } = await signIn(browser(), service(), secret, "#/groups?sort=id");
    await page.getByLabel("Select Group 0").check();
    await page.getByLabel("Select Group 1", { exact: true }).check();
    await press(page, "link", "Next");
    await page.getByLabel("Select Group 9").check();
    await page.getByText("3 selected, 2 of them not on this page").waitFor();
    await callGraphql(service().url, secret, DELETE, { by: { providedId: "group-1" } });
    await press(page, "button", "Rotate tokens…");
    await press(page, "button", "Rotate tokens");
    await waitForMessage(page, "2 of 3 groups rotated.");
    await page.getByText("25 groups").waitFor();
    await press(page, "link", "First");
    await page.getByLabel("Select Group 0").check();
    await press(page, "button", "Delete…");
    await callGraphql(service().url, secret, DELETE, { by: { providedId: "group-0" } });
    await page.getByLabel("Type 1 to confirm").fill("1");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "No user group" }).waitFor();
    await press(page, "button", "Cancel");
    await page.getByRole("link", { name: "Group 0" }).waitFor({ state: "detached" });
  });

  test("counts the groups that others change, shows them on request, and has no stream while hidden", async () => {
    const { secret } = await (await service().createAccount()).createKey();
    const change = (query: string, variables: Readonly<Record<string, unknown>>) =>
      callGraphql(service().url, secret, query, variables);
    const rename = (id: string, name: string) => change(RENAME, { input: { by: { providedId: id }, name } });
    const { eventStreams } = service().services;
    const userGroups = ["a", "b", "c"].map((id) => ({ providedId: id, name: `Group ${id}` }));
    await change(CREATE, { input: { userGroups } });
    const { page } = await signIn(browser(), service(), secret);
    const counted = (text: string) => page.getByRole("status").getByText(text);
    await counted("3 groups").waitFor();
    await expect.poll(() => eventStreams.open).toBe(1);
    await rename("a", "Alpha");
    await rename("a", "Alpha 2");
    await change(DELETE, { by: { providedId: "b" } });
    await counted("2 changes").waitFor();
    expect(await page.getByRole("rowheader").allInnerTexts()).toEqual(["Group c", "Group b", "Group a"]);
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "button", "Show");
    await counted("2 groups").waitFor();
    await page.getByRole("link", { name: "Alpha 2" }).waitFor();
    await counted("changes").waitFor({ state: "detached" });

    await page.getByLabel("Select all on this page").check();
    await press(page, "button", "Rotate tokens…");
    await press(page, "button", "Rotate tokens");
    await waitForMessage(page, "2 of 2 groups rotated.");
    // The tab's own changes are not counted.
    let times = 0;
    const countAfterChange = async () => {
      times += 1;
      await rename("c", `Gamma ${times}`);
      return page.getByRole("status").getByText("change").allInnerTexts();
    };
    await expect.poll(countAfterChange).toEqual([expect.stringMatching(/^1 change\b/)]);

    const show = (state: string) =>
      page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`);
    await show("hidden");
    await expect.poll(() => eventStreams.open).toBe(0);
    await rename("c", "Delta");
    await show("visible");
    await page.getByRole("link", { name: "Delta" }).waitFor();
    await expect.poll(() => eventStreams.open).toBe(1);
  });

  test("opens a group and a page from the command palette", async () => {
    const { page } = await signIn(browser(), service(), keys.read, "#/sites");
    await page.getByText("No sites yet").waitFor();
    await page.keyboard.press("Control+K");
    await page.keyboard.type("customer 07");
    // Matches of a part of the text may come first, and Enter opens the selected one.
    await page.getByRole("option", { name: "Customer 07", selected: true }).waitFor();
    await expect.poll(() => page.getByRole("dialog").getByRole("option").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Customer 07" }).waitFor();
    await press(page, "button", "Search… Ctrl K");
    await page.keyboard.type("data");
    await page.getByRole("option", { name: "Data sources", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Data sources" }).waitFor();
    await page.keyboard.press("Control+K");
    await page.keyboard.type("supp");
    await page.getByRole("option", { name: "Support", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("row").filter({ hasText: "Support" }).waitFor();
    await page.getByRole("row").filter({ hasText: "Sales" }).waitFor({ state: "detached" });
    await page.keyboard.press("Control+K");
    await page.getByRole("option", { name: "New group" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("runs the actions of the open page and of the console from the command palette", async () => {
    const watched = await signIn(browser(), service(), keys.admin);
    const { page } = watched;
    const open = async (name: string) => {
      await page.keyboard.press("Control+K");
      await page.keyboard.type(name.toLowerCase());
      await page.getByRole("option", { name, selected: true }).waitFor();
      await page.keyboard.press("Enter");
    };
    await open("Customer 07");
    await page.getByRole("heading", { level: 1, name: "Customer 07" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Customer 07 B");
    await page.keyboard.press("Control+K");
    for (const [text, name] of Object.entries(FIRST_COMMANDS)) {
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
      await page.getByRole("option", { name, exact: true, selected: true }).waitFor();
    }
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await open("Discard changes");
    await open("Dark theme");
    expect(await page.getByLabel("Theme").first().inputValue()).toBe("dark");
    await open("Rotate token…");
    await page.getByRole("dialog", { name: "Rotate the token?" }).waitFor();
    await press(page, "button", "Cancel");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Rotate token…");

    await open("Overview");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Control+K");
    await page.getByRole("group", { name: "Recent" }).getByRole("option", { name: "Customer 07" }).waitFor();
    await page.keyboard.press("Escape");
    await expectQuiet(watched, keys.admin);
    await open("Sign out");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual(["user-groups:theme"]);
  });

  test("the command palette and links open the dialogs of new objects, and the back button closes them", async () => {
    const { page } = await signIn(browser(), service(), keys.admin);
    await page.keyboard.press("Control+K");
    await page.keyboard.type("new api");
    await page.getByRole("option", { name: "New API key", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New API key for the Customer environment" });
    await dialog.waitFor();
    await press(page, "button", "Cancel");
    await dialog.waitFor({ state: "detached" });
    await press(page, "button", "New API key");
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.goBack();
    await page.getByText(`${GROUPS} groups`).waitFor();
  });

  test("switches between the environments of one session", async () => {
    const { page } = await signIn(browser(), service(), keys.admin);
    await press(page, "button", "Testing");
    const dialog = page.getByRole("dialog", { name: "Sign in to Testing" });
    await dialog.getByLabel("API key").fill(keys.testing);
    await page.keyboard.press("Enter");
    await page.getByText("No groups yet").waitFor();
    await press(page, "button", "Customer");
    await page.getByText(`${GROUPS} groups`).waitFor();
    await accountMenu(page).press("Enter");
    await press(page, "button", "Sign out everywhere…");
    await press(page, "button", "Sign out everywhere");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  });
});
