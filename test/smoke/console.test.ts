import { beforeAll, describe, expect, test } from "vitest";
import { openPage } from "../support/pages/chromium.js";
import { enterKey, expectQuiet, useConsole } from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";
import { callRest } from "../support/rest/rest-client.js";

const service = useConsole();
const browser = useChromium();
let key = "";
beforeAll(async () => {
  key = (await (await service().createAccount()).createKey()).secret;
  await callRest(`${service().url}/api/user`, "GET", key, { user_group_id: "acme", name: "Acme" });
});

describe("console in Chromium", () => {
  test("reports a wrong key and signs in with a right one by keyboard alone", async () => {
    const watched = await openPage(browser(), `${service().url}/console`);
    const { page, complaints, elsewhere } = watched;
    expect(page.url()).toBe(`${service().url}/console/`);
    await page.getByLabel("API key").waitFor();
    await page.getByLabel("API key").focus();
    await page.keyboard.type("ugk_live_wrong");
    await page.keyboard.press("Enter");
    const problem = page.getByRole("alert");
    await problem.filter({ hasText: "The API key is unknown" }).waitFor();
    expect(await problem.innerText()).toMatch(/Request [0-9a-f-]{36}/);
    await enterKey(page, key);
    await page.getByRole("heading", { level: 2, name: /^1 thing needs attention/ }).waitFor();
    expect(await page.title()).toBe("Overview – User groups");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Overview");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("acm");
    await page.getByRole("option", { name: "Acme acme" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    // The browser's own log entry for the error.
    expect(complaints).toEqual([expect.stringContaining("status of 401")]);
    await expectQuiet({ page, complaints: [], elsewhere }, key);
  });
});
