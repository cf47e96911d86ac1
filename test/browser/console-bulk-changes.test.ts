import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  CREATE,
  findBarriers,
  goTo,
  press,
  signIn,
  signOut,
  useConsole,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const service = useConsole();
const browser = useChromium();
const GROUPS = 600;

/** Creates an account whose groups have the plans `free` and `pro` by turns. */
async function createGroups() {
  const account = await service().createAccount();
  const { secret } = await account.createKey();
  for (let start = 0; start < GROUPS; start += 200) {
    const userGroups = Array.from({ length: 200 }, (_, index) => ({
      providedId: `group-${start + index}`,
      name: `Group ${start + index}`,
      properties: { plan: index % 2 === 0 ? "free" : "pro", account_number: "12345", seats: start + index },
    }));
    await callGraphql(service().url, secret, CREATE, { input: { userGroups } });
  }
  return { account, secret };
}

async function countWith(secret: string, properties: object): Promise<number> {
  const query = "query ($p: JSON!) { userGroups(filter: { properties: $p }) { totalCount } }";
  const { body } = await callGraphql(service().url, secret, query, { p: properties });
  return Object(body).data.userGroups.totalCount;
}

/** What the browser says about the value that was typed. */
async function validation(page: Page): Promise<unknown> {
  return page.evaluate("document.querySelector('dialog input:invalid').validationMessage");
}

/** Selects all groups and previews a new plan. */
async function previewPlan(page: Page, plan: string): Promise<void> {
  await page.getByText(`${GROUPS} groups`).first().waitFor();
  await page.getByLabel("Select all on this page").check();
  await press(page, "button", `Select all ${GROUPS}`);
  // The button is gone, and the focus stays among the actions.
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Change…");
  await press(page, "button", "Change…");
  await page.getByLabel("Property", { exact: true }).fill("plan");
  await page.getByRole("dialog").getByLabel("Value").fill(plan);
  await press(page, "button", "Preview");
  await page.getByText(`${GROUPS} groups would change.`).waitFor();
}

/** Lets the first call of a change pass. @param fail handles the others */
async function interrupt(page: Page, fail: "abort" | "hold"): Promise<() => Promise<void>> {
  let calls = 0;
  await page.route("**/graphql", async (route) => {
    const isChange = route.request().postData()?.includes('"bulkChangeId"') === true;
    if (isChange) calls += 1;
    if (!isChange || calls === 1) await route.continue();
    else if (fail === "abort") await route.abort();
  });
  return () => page.unroute("**/graphql");
}

describe("changes of many groups in the console in Chromium", () => {
  test("a change that is cut off offers to continue, and shows values before and after", async () => {
    const { secret } = await createGroups();
    const { page } = await signIn(browser(), service(), secret);
    await previewPlan(page, "business");
    const formers = page.getByRole("dialog").getByRole("listitem");
    expect((await formers.allInnerTexts()).toSorted()).toEqual([
      "free → business: 300",
      "pro → business: 300",
    ]);
    expect(await findBarriers(page)).toEqual([]);
    const reconnect = await interrupt(page, "abort");
    await press(page, "button", `Change ${GROUPS} groups`);
    await page.getByText("The service is unreachable.").waitFor();
    await page.getByText("250 groups changed.").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await countWith(secret, { plan: "business" })).toBe(250);
    await reconnect();
    const [file] = await Promise.all([page.waitForEvent("download"), press(page, "button", "Download")]);
    expect((await text(await file.createReadStream())).trimEnd().split("\n")).toHaveLength(250);
    await press(page, "button", "Continue");
    await page.getByText(`${GROUPS} groups changed.`).waitFor();
    expect(await countWith(secret, { plan: "business" })).toBe(GROUPS);
    await press(page, "button", "Close");
    await page.getByText(/selected/).waitFor({ state: "detached" });
    expect(await page.getByText("interrupted").count()).toBe(0);
  });

  test("a change that a reload interrupts can be undone afterwards, until the person signs out", async () => {
    const { secret } = await createGroups();
    const { page } = await signIn(browser(), service(), secret);
    await previewPlan(page, "business");
    const release = await interrupt(page, "hold");
    await press(page, "button", `Change ${GROUPS} groups`);
    await page.getByText("250 groups changed.").waitFor();
    const questions: string[] = [];
    page.on("dialog", (dialog) => {
      questions.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(questions).toEqual(["beforeunload"]);
    await release();
    const unfinished = page.getByRole("region", { name: "Unfinished change" });
    await unfinished.getByText(`250 of ${GROUPS} groups changed.`).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press(page, "button", "Undo");
    await page.getByText("250 groups restored.").waitFor();
    expect(await countWith(secret, { plan: "business" })).toBe(0);
    await press(page, "button", "Close");
    await unfinished.waitFor({ state: "detached" });

    await previewPlan(page, "business");
    const reconnect = await interrupt(page, "abort");
    await press(page, "button", `Change ${GROUPS} groups`);
    await page.getByText("The service is unreachable.").waitFor();
    await reconnect();
    await press(page, "button", "Close");
    await unfinished.waitFor();
    await signOut(page);
    await page.getByLabel("API key").waitFor();
    expect(await page.evaluate("JSON.stringify({ ...localStorage })")).not.toContain("business");
  });

  test("someone else undoes a change from the list, with as many calls as the change took", async () => {
    const { account, secret } = await createGroups();
    const { page } = await signIn(browser(), service(), secret);
    await previewPlan(page, "business");
    await press(page, "button", `Change ${GROUPS} groups`);
    await page.getByText(`${GROUPS} groups changed.`).waitFor();
    const later =
      'mutation { updateUserGroup(input: { by: { providedId: "group-0" }, name: "Later" }) { userErrors { code } } }';
    await callGraphql(service().url, secret, later);
    const other = await account.createKey({ scope: "write" });
    const { page: page2 } = await signIn(browser(), service(), other.secret);
    await press(page2, "link", "Bulk changes");
    await press(page2, "link", "Properties");
    await page2.getByRole("heading", { level: 1, name: "Bulk change", exact: true }).waitFor();
    expect(await findBarriers(page2)).toEqual([]);
    await press(page2, "button", "Undo…");
    let calls = 0;
    page2.on("request", (request) => {
      if (request.postData()?.includes("undoBulkChange")) calls += 1;
    });
    await press(page2, "button", `Restore ${GROUPS} groups`);
    await page2.getByText("599 groups restored, 1 refused.").waitFor();
    expect(calls).toBe(3);
    expect([
      await countWith(secret, { plan: "free" }),
      await countWith(secret, { plan: "business" }),
    ]).toEqual([299, 1]);
    await press(page2, "button", "Close");
    await goTo(page2, "#/bulk-changes", "Bulk changes");
    await page2.getByRole("row", { name: /Undo: properties 599 test/ }).waitFor();
    expect(await findBarriers(page2)).toEqual([]);
    // The audit log names the bulk change.
    await goTo(page, "#/audit", "Audit log");
    await page.getByRole("link", { name: "Bulk change" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Bulk change", exact: true }).waitFor();
  });

  test("values have the type of the property in other groups, and null is none", async () => {
    const { secret } = await createGroups();
    const { page } = await signIn(browser(), service(), secret);
    await page.getByText("Filters and columns").click();
    await page.getByLabel("Property name").fill("account_number");
    await page.getByLabel("Value").fill("12345");
    await press(page, "button", "Add filter");
    await page.getByText(`${GROUPS} groups found`).waitFor();
    await press(page, "link", 'Remove the filter account_number is "12345"');
    await page.getByLabel("Property name").fill("seats");
    expect(await page.getByLabel("Type").inputValue()).toBe("number");
    await page.getByLabel("Value").fill("7");
    await press(page, "button", "Add filter");
    await page.getByText("1 group found").waitFor();
    await page.getByLabel("Select Group 7").check();
    await press(page, "button", "Change…");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Property", { exact: true }).fill("seats");
    await dialog.getByLabel("Value").fill("many");
    await press(page, "button", "Preview");
    expect(await validation(page)).toBe("Type a number, such as 12 or 0.5.");
    await dialog.getByLabel("Type").selectOption("json");
    await dialog.getByLabel("Value").fill("null");
    expect(await validation(page)).toContain("Remove");
    await dialog.getByLabel("Type").selectOption("text");
    await dialog.getByLabel("Value").fill("null");
    await press(page, "button", "Preview");
    await dialog.getByText('7 → "null": 1').waitFor();
    await press(page, "button", "Change 1 group");
    await dialog.getByText("1 group changed.").waitFor();
    expect(await countWith(secret, { seats: "null" })).toBe(1);
    await press(page, "button", "Undo");
    await dialog.getByText("1 group restored.").waitFor();
    expect(await countWith(secret, { seats: 7 })).toBe(1);
  });
});
