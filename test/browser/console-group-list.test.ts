import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { CREATE, GROUPS, READ, useConsoleGroups } from "../support/pages/console-groups.js";
import { accountMenu, press, signIn, waitForMessage } from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

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
    await page.getByText("10 groups found").waitFor();
    await page.getByRole("link", { name: "Customer 49" }).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Customer 11" }).waitFor();
    await page.goBack();
    await page.getByText("10 groups found").waitFor();
    const search = page.getByLabel("Search groups");
    expect(await search.inputValue()).toBe("customer 1");
    await search.fill("MER/59 ?");
    await page.getByText("1 group found").waitFor();
    const { userGroup } = await run(READ, { id: "customer/5 ?#" });
    await search.fill(userGroup.token);
    await page.getByText("This token belongs to Customer 05.").waitFor();
    expect(page.url()).not.toContain("ugt_");
    await search.fill("nobody");
    await page.getByText("No groups match your search.").waitFor();
    await press(page, "link", "Show all groups");
    await page.getByText(`${GROUPS} groups`).waitFor();
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
    await press(page, "button", "Delete selected…");
    expect(await page.getByRole("button", { name: "Delete 2 groups", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Type 2 to confirm").fill("2");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "2 of 2 groups deleted.");
    await page.getByText("1 group found").waitFor();
    expect(await tokenOf("bulk-2")).toBeUndefined();
    await run("mutation($by: UserGroupBy!) { deleteUserGroup(input: { by: $by }) { deletedUserGroupId } }", {
      by: { providedId: "bulk-3" },
    });
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
