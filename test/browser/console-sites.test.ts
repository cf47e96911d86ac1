import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  expectQuiet,
  goTo,
  press,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const PUT = `mutation($text: String!) {
  putSiteConfig(input: { site: "docs", source: { text: $text } }) { userErrors { message } }
}`;
const READ = `{ siteConfig(site: "docs") { revision text isPublic } }`;
const SELECTED = "document.activeElement.shadowRoot.getSelection().toString()";
const FIRST_PAGE_COLOR = "getComputedStyle(document.querySelector('.small-item')).borderLeftColor";
const FIRST = written("First", "#0a7");

const service = useConsole();
const browser = useChromium();
let key = "";
beforeEach(async () => {
  key = (await (await service().createAccount()).createKey()).secret;
});

describe("site configuration editor in Chromium", () => {
  test("creates a site, which can be made public, and is deleted once its name was typed", async () => {
    const watched = await signIn(browser(), service(), key, "#/sites");
    const { page } = watched;
    await page.getByText("No sites yet").waitFor();
    await page.getByRole("link", { name: "New site" }).first().press("Enter");
    await press(page, "button", "Create site");
    await page.getByText("must").waitFor();
    expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("Site name");
    await page.getByLabel("Site name").fill("docs");
    await textOf(page).fill(FIRST);
    await press(page, "button", "Create site");
    await waitForMessage(page, "docs was created.");
    await page.getByRole("heading", { level: 1, name: "docs" }).waitFor();
    await press(page, "button", "Make public…");
    await press(page, "button", "Make public");
    await waitForMessage(page, "The site is now public.");
    const path = await page.getByRole("link", { name: "the file" }).getAttribute("href");
    const file = await fetch(new URL(path ?? "", page.url()));
    expect(await file.text()).toBe(FIRST);
    await press(page, "button", "Delete…");
    await page.getByLabel("Type docs to confirm").fill("dox");
    expect(await page.getByRole("button", { name: "Delete site", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Type docs to confirm").fill("docs");
    await page.keyboard.press("Enter");
    await waitForMessage(page, "docs was deleted.");
    await page.getByText("No sites yet").waitFor();
    expect(await run(READ, {})).toEqual({ siteConfig: null });
    await expectQuiet(watched, key);
  });

  test("shows the navigation, the colors in both modes, and errors while typing with links to their position", async () => {
    await run(PUT, { text: FIRST });
    const { page } = await signIn(browser(), service(), key, "#/sites/docs");
    const navigation = page.getByRole("region", { name: "Navigation" });
    await navigation.getByText("intro").waitFor();
    const light = page.getByRole("figure").filter({ hasText: "Light" });
    expect(await light.innerText()).toMatch(/First[\s\S]*accent #0a7/);
    await page.locator(".small-item").first().waitFor();
    expect(await page.evaluate(FIRST_PAGE_COLOR)).toBe("rgb(0, 170, 119)");
    await textOf(page).fill(
      FIRST.replace('"#0a7"', '"#0000ff", "light": "#ff00ff"').replace("intro", "welcome"),
    );
    await navigation.getByText("welcome").waitFor();
    expect(await light.innerText()).toContain("accent #0000ff");
    expect(await page.getByRole("figure").filter({ hasText: "Dark" }).innerText()).toContain(
      "accent #ff00ff",
    );

    await textOf(page).fill(FIRST);
    const findings = page.getByRole("region", { name: "Findings" });
    await findings.getByText("No findings.").waitFor();
    await textOf(page).fill(`${FIRST.replace('"name"', '"nome"').trimEnd().slice(0, -1)},\n  "colour": 1\n}`);
    await findings.getByText("1 error, 2 warnings").waitFor();
    const [error = ""] = await findings.getByRole("listitem").allInnerTexts();
    expect(error).toMatch(/^"name" is missing/);
    const marked = page.locator(".cm-lintRange-warning");
    await expect.poll(() => marked.allInnerTexts()).toEqual(['"nome"', '"colour"']);
    expect(await page.locator(".cm-lintRange-error").count()).toBe(1);
    await findings.getByRole("button", { name: /^Line 7, / }).press("Enter");
    expect(await page.evaluate(SELECTED)).toBe('"colour": 1');
    await press(page, "button", "Save as revision 2");
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("code-editor-host");
    expect((await run(READ)).siteConfig.revision).toBe(1);
    await textOf(page).fill('{ "name": ');
    await findings.getByText("1 error", { exact: true }).waitFor();
  });

  test("completes and describes settings from the JSON Schema, by keyboard and on hover", async () => {
    await run(PUT, { text: FIRST });
    const watched = await signIn(browser(), service(), key, "#/sites/docs");
    const { page } = watched;
    await textOf(page).fill('{ "name": "Docs", "navigation": [{ "group": "", "pages": ["a"] }], "fav }');
    await textOf(page).press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    const option = page.getByRole("option", { name: "favicon" });
    // Again if a keystroke that the editor was still processing has closed the list.
    await expect
      .poll(
        async () => {
          await page.keyboard.press("Control+Space");
          return option.isVisible();
        },
        { interval: 1_000 },
      )
      .toBe(true);
    // By click: the editor ignores Enter for a moment after the list has opened.
    await option.click();
    await expect.poll(() => readText(page)).toContain('"favicon": ');
    await textOf(page).getByText('"navigation"').hover();
    await page.locator(".cm-tooltip-hover").getByText("Groups of pages, in display order.").waitFor();
    await expectQuiet(watched, key);
  });

  test("saves revisions, shows and restores them", async () => {
    await run(PUT, { text: FIRST });
    const watched = await signIn(browser(), service(), key, "#/sites/docs");
    const { page } = watched;
    await textOf(page).fill(written("Second", "#0a7"));
    await press(page, "button", "Save as revision 2");
    await waitForMessage(page, "Revision 2 was saved.");
    await press(page, "button", "Show revision 1");
    const dialog = page.getByRole("dialog", { name: "Revision 1" });
    const versions = dialog.getByRole("textbox");
    await expect
      .poll(() => versions.allInnerTexts())
      .toMatchObject([
        expect.stringContaining('"name": "First"'),
        expect.stringContaining('"name": "Second"'),
      ]);
    expect(await dialog.locator(".cm-changedLine").count()).toBe(2);
    await page.keyboard.press("Escape");
    await press(page, "button", "Restore revision 1");
    await press(page, "button", "Restore revision");
    await waitForMessage(page, "Revision 1 was restored as revision 3.");
    await page.getByText("restored from 1").waitFor();
    expect(await readText(page)).toBe(FIRST);
    expect((await run(READ)).siteConfig).toMatchObject({ revision: 3, text: FIRST });
    await expectQuiet(watched, key);
  });

  test("does not overwrite a newer revision without confirmation", async () => {
    await run(PUT, { text: FIRST });
    const { page } = await signIn(browser(), service(), key, "#/sites/docs");
    await textOf(page).fill(written("Mine", "#0a7"));
    await run(PUT, { text: written("Theirs", "#0a7") });
    await press(page, "button", "Save as revision 2");
    await page.getByRole("button", { name: "Discard my changes and load revision 2" }).waitFor();
    expect((await run(READ)).siteConfig.text).toContain("Theirs");
    await press(page, "button", "Overwrite with my changes");
    await waitForMessage(page, "Revision 3 was saved.");
    await run(PUT, { text: written("Theirs again", "#0a7") });
    await textOf(page).fill(written("Mine again", "#0a7"));
    await press(page, "button", "Save as revision 4");
    await press(page, "button", "Discard my changes and load revision 4");
    await expect.poll(() => readText(page)).toContain("Theirs again");
    await goTo(page, "#/sites/nowhere", "Site not found");
  });

  test("keeps the text's line endings", async () => {
    const windows = FIRST.replaceAll("\n", "\r\n");
    await run(PUT, { text: windows });
    const { page } = await signIn(browser(), service(), key, "#/sites/docs");
    const save = page.getByRole("button", { name: "Save as revision 2" });
    await textOf(page).fill(`${FIRST}\n`);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await textOf(page).fill(FIRST);
    await expect.poll(() => save.isEnabled()).toBe(false);
    await textOf(page).fill(`${FIRST}\n`);
    await save.press("Enter");
    await waitForMessage(page, "Revision 2 was saved.");
    expect((await run(READ)).siteConfig.text).toBe(`${windows}\r\n`);
    expect(await page.getByRole("button", { name: "Save as revision 3" }).isEnabled()).toBe(false);
  });
});

function textOf(page: Page) {
  return page.getByRole("textbox", { name: "Site configuration" });
}

/** Returns the text in the editor, whose lines are elements. */
async function readText(page: Page): Promise<string> {
  return (await textOf(page).locator(".cm-line").allInnerTexts())
    .map((line) => line.replace("\n", ""))
    .join("\n");
}

function written(name: string, primary: string): string {
  return `{
  "name": "${name}",
  "favicon": "/favicon.svg",
  "colors": { "primary": "${primary}" },
  "navigation": [{ "group": "Start", "pages": ["intro"] }]
}
`;
}

async function run(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const { body } = await callGraphql(service().url, key, query, variables);
  const { data, errors } = Object(body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
