import { expect, test } from "vitest";
import {
  CREATE,
  findBarriers,
  goTo,
  press,
  signIn,
  useConsoleGroups,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const { service, keys, run } = useConsoleGroups();
const browser = useChromium();

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", enum: ["EU", "US"], title: "Region", description: "Where the data is." },
    color: { type: "string", format: "color" },
    seats: { type: "integer", minimum: 1 },
  },
  required: ["region"],
  additionalProperties: false,
};

test("a schema is written from the properties in use, checked and enforced", async () => {
  const userGroups = [
    { providedId: "acme", name: "Acme Inc.", properties: { region: "EU", seats: 3 } },
    { providedId: "globex", name: "Globex", properties: { regoin: "US", seats: 5 } },
  ];
  await run(CREATE, { input: { userGroups } });
  const { page } = await signIn(browser(), service(), keys.admin);
  await press(page, "link", "Property schema");
  const editor = page.getByRole("textbox", { name: "JSON Schema" });
  await press(page, "button", "Start from the properties in use");
  await expect.poll(() => editor.innerText()).toContain('"regoin"');
  expect(await findBarriers(page)).toEqual([]);

  const wrong = JSON.stringify({ ...SCHEMA, pattern: "a" }, null, 2);
  await editor.fill(wrong);
  await press(page, "button", "Check groups");
  await page.getByText(/is not supported; supported are/).waitFor();
  const line = wrong.split("\n").findIndex((text) => text.includes("pattern")) + 1;
  await press(page, "button", `Line ${line}`);
  await editor.fill(JSON.stringify(SCHEMA, null, 2));
  await page.getByLabel("Mode").selectOption("ENFORCE");
  await press(page, "button", "Save…");
  const dialog = page.getByRole("dialog", { name: "Refuse invalid properties?" });
  await dialog.getByText(/groups are invalid/).waitFor();
  await press(page, "button", "Enforce the schema");
  await waitForMessage(page, "The property schema was saved.");
  expect(await findBarriers(page)).toEqual([]);

  // What a typing error was meant to be.
  await goTo(page, "#/groups/globex", "Globex");
  await page.getByText("Not in the schema. Did you mean region?").waitFor();
  await page.getByText("Required, and missing.").waitFor();
  const violations = page.getByText("These properties violate the property schema:").locator("..");
  await violations.getByText("region is required.").waitFor();
  await violations.getByText("regoin is not in the schema for properties.").waitFor();
  await press(page, "button", "Remove property regoin");
  await press(page, "button", "Add property region");
  await page.getByRole("combobox", { name: /^Region/ }).selectOption({ label: "US" });
  await page.getByRole("spinbutton", { name: "seats" }).fill("0");
  await press(page, "button", "Save");
  await page.locator(".property-row").getByText("Must be at least 1.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("spinbutton", { name: "seats" }).fill("5");
  await press(page, "button", "Save");
  await waitForMessage(page, "The group was saved.");
  await violations.waitFor({ state: "detached" });
  const { userGroup } = await run('{ userGroup(by: { providedId: "globex" }) { properties } }', {});
  expect(userGroup.properties).toEqual({ seats: 5, region: "US" });
});

test("a reader sees the schema, and who edits meanwhile is told", async () => {
  const set = (input: object) =>
    run(
      "mutation ($input: SetPropertySchemaInput!) { setPropertySchema(input: $input) { userErrors { message } } }",
      { input },
    );
  await set({ schema: SCHEMA, mode: "WARN" });
  const { page: reading } = await signIn(browser(), service(), keys.read, "#/property-schema");
  const shownSchema = reading.getByRole("textbox", { name: "JSON Schema" });
  await expect.poll(() => shownSchema.innerText()).toContain('"region"');
  expect(await shownSchema.getAttribute("aria-readonly")).toBe("true");
  expect(await reading.getByRole("button", { name: "Save" }).count()).toBe(0);

  const { page } = await signIn(browser(), service(), keys.admin, "#/property-schema");
  const editor = page.getByRole("textbox", { name: "JSON Schema" });
  await expect.poll(() => editor.innerText()).toContain('"region"');
  await page.getByLabel("Mode").selectOption("OFF");
  await set({ schema: { type: "object" }, mode: "WARN" });
  await press(page, "button", "Save");
  await page.getByText("Someone else saved the schema while you were editing.").waitFor();
  await page.getByRole("button", { name: /^Discard my changes and load version/ }).press("Enter");
  await expect.poll(() => editor.innerText()).not.toContain('"region"');
});
