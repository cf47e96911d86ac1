import { expect, test } from "vitest";
import {
  CREATE,
  findBarriers,
  openTab,
  press,
  READ,
  signIn,
  useConsoleGroups,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const UPDATE =
  "mutation($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) { userErrors { message } } }";

const { service, keys, run } = useConsoleGroups();
const browser = useChromium();

test("does not overwrite another user's changes without asking", async () => {
  const id = "customer/3 ?#";
  const { page } = await signIn(browser(), service(), keys.write, `#/groups/${encodeURIComponent(id)}`);
  await page.getByRole("tab", { name: "JSON" }).press("Enter");
  await page.getByLabel("Properties as JSON").fill('{"color": "red", "mine": []}');
  await page.getByRole("tab", { name: "Form" }).press("Enter");
  await press(page, "button", "Edit as JSON: mine");
  await page.getByLabel("Properties as JSON").fill('{"color": "red", "mine": true}');
  await run(UPDATE, { input: { by: { providedId: id }, name: "Theirs", properties: { color: "blue" } } });
  await page.keyboard.press("Control+S");
  const conflict = page.getByRole("region", { name: "saved this group while you were editing" });
  await conflict.waitFor();
  const choices = async () =>
    Promise.all((await conflict.getByRole("radio").all()).map(async (radio) => radio.isChecked()));
  expect(await conflict.getByRole("group").allInnerTexts()).toEqual([
    "Name\nYours\nCustomer 03\nSaved\nTheirs",
    'Property color\nYours\n"red"\nSaved\n"blue"',
    "Property mine\nYours\ntrue\nSaved\nNot set",
  ]);
  // Fields that only one side has changed keep the change.
  expect(await choices()).toEqual([false, true, false, false, true, false]);
  expect(await findBarriers(page)).toEqual([]);
  await conflict.getByLabel('Saved "blue"').press("Space");
  await press(page, "button", "Save these values");
  await waitForMessage(page, "The group was saved.");
  const { userGroup } = await run(READ, { id });
  expect(userGroup).toMatchObject({ name: "Theirs", properties: { color: "blue", mine: true } });
  await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor();
});

test("shows another user's change at once, and keeps what is typed, also when the group is deleted", async () => {
  const by = { providedId: "live" };
  await run(CREATE, { input: { userGroups: [{ ...by, name: "First" }] } });
  const { page } = await signIn(browser(), service(), keys.admin, "#/groups/live");
  const name = page.getByLabel("Name", { exact: true });
  await name.focus();
  await expect.poll(() => service().services.eventStreams.open).toBe(1);
  await run(UPDATE, { input: { by, name: "Second" } });
  await waitForMessage(page, "This group was changed elsewhere just now.");
  await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
  expect(await page.evaluate("document.activeElement.value")).toBe("Second");
  await openTab(page, "History");
  await page.getByText("Name: First").waitFor();
  await openTab(page, "Properties and mapping");

  await name.fill("Typed");
  await run(UPDATE, { input: { by, name: "Third" } });
  await page.getByText("This group was changed elsewhere while you were editing.").waitFor();
  expect(await name.inputValue()).toBe("Typed");
  expect(await findBarriers(page)).toEqual([]);
  await press(page, "button", "Show changes");
  const conflict = page.getByRole("region", { name: "saved this group while you were editing" });
  // The author is loaded.
  await expect.poll(() => conflict.getByRole("heading").innerText()).not.toContain("Someone else");
  // Both have changed it: neither is chosen.
  expect(await conflict.getByRole("radio", { checked: true }).count()).toBe(0);
  await conflict.getByLabel("Yours Typed").press("Space");
  await press(page, "button", "Save these values");
  await waitForMessage(page, "The group was saved.");
  expect((await run(READ, { id: "live" })).userGroup.name).toBe("Typed");

  await name.fill("Typed again");
  await run("mutation($by: UserGroupBy!) { deleteUserGroup(input: { by: $by }) { deletedUserGroupId } }", {
    by,
  });
  await page.getByRole("alert").filter({ hasText: "This group was deleted elsewhere" }).waitFor();
  expect(await name.inputValue()).toBe("Typed again");
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
});

test("says nothing about its own change whose event arrives before the reply", async () => {
  const by = { providedId: "own" };
  await run(CREATE, { input: { userGroups: [{ ...by, name: "First" }] } });
  const { page } = await signIn(browser(), service(), keys.admin, "#/groups/own");
  await page.getByLabel("Name", { exact: true }).waitFor();
  await expect.poll(() => service().services.eventStreams.open).toBe(1);
  await page.route("**/graphql", async (route) => {
    if (!route.request().postData()?.includes("mutation UpdateGroup")) return route.fallback();
    const reply = await route.fetch();
    // The event's values, which the page shows as soon as it has them.
    await page.getByRole("heading", { level: 1, name: "Second" }).waitFor();
    await route.fulfill({ response: reply });
  });
  await page.getByLabel("Name", { exact: true }).fill("Second");
  await press(page, "button", "Save");
  await waitForMessage(page, "The group was saved.");
  expect(await page.getByText("changed elsewhere").count()).toBe(0);
  await run(UPDATE, { input: { by, name: "Third" } });
  await waitForMessage(page, "This group was changed elsewhere just now.");
});

test("refuses an edit of a data source that was changed while its dialog was open", async () => {
  const change = (input: string) =>
    run(`mutation { ${input} { dataSource { name } userErrors { code } } }`, {});
  await change('createDataSource(input: { providedId: "finance", name: "Finance" })');
  const { page } = await signIn(browser(), service(), keys.write, "#/data-sources?q=Finance");
  await press(page, "button", "Actions for Finance");
  await press(page, "button", "Edit…");
  await change('updateDataSource(input: { by: { providedId: "finance" }, providedId: "ledger" })');
  await page.getByLabel("Name", { exact: true }).fill("Outdated");
  await press(page, "button", "Save");
  await page.getByText("The data source has version 2, not 1. Read it again.").waitFor();
  const read = '{ dataSource(by: { providedId: "ledger" }) { name } }';
  expect(await run(read, {})).toEqual({ dataSource: { name: "Finance" } });
  // Without a reload of the page.
  await page.getByText("Someone else saved it while you were editing.").waitFor();
  await press(page, "button", "Cancel");
  await press(page, "button", "Actions for Finance");
  await press(page, "button", "Edit…");
  expect(await page.getByLabel("External ID", { exact: true }).inputValue()).toBe("ledger");
  await page.getByLabel("Name", { exact: true }).fill("Ledger");
  await press(page, "button", "Save");
  await waitForMessage(page, "Ledger was saved.");
});
