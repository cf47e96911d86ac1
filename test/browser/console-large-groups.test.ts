import { expect, test } from "vitest";
import {
  CREATE,
  goTo,
  openTab,
  press,
  READ,
  runSnippet,
  signIn,
  useConsoleGroups,
  waitForMessage,
} from "../support/pages/console-page.js";
import { useChromium } from "../support/pages/playground-page.js";

const { service, keys, run } = useConsoleGroups();
const browser = useChromium();

/** Sends a request with numbers that JavaScript rounds. @returns the text of the reply */
async function send(method: "PUT" | "POST", path: string, body: string): Promise<string> {
  const headers = { authorization: `Token ${keys.write}`, "content-type": "application/json" };
  return (await fetch(`${service().url}${path}`, { method, headers, body })).text();
}
const put = (body: string) => send("PUT", "/api/user", body);

test("numbers that JavaScript rounds are shown, saved and copied as they are stored", async () => {
  const numbers = [
    '"rate":0.1234567890123456789012',
    '"serial":12345678901234567890',
    '"price":1.50',
    '"nested":{"ratio":1.10}',
  ];
  const group = (plan: string) =>
    `{"user_group_id":"exact","name":"Exact","properties":{"plan":"${plan}","note":"it's",${numbers.join(",")}}}`;
  await run(CREATE, { input: { userGroups: [{ providedId: "exact", name: "Exact" }] } });
  await put(group("team"));
  const query = JSON.stringify({ query: '{ userGroup(by: { providedId: "exact" }) { properties } }' });
  const read = () => send("POST", "/graphql", query);
  const { page } = await signIn(browser(), service(), keys.write, "#/groups/exact");
  const shown = (name: string) => page.getByLabel(name, { exact: true });
  expect(await shown("serial").inputValue()).toBe("12345678901234567890");
  expect(await shown("rate").inputValue()).toBe("0.1234567890123456789012");
  expect(await shown("price").inputValue()).toBe("1.50");
  await shown("plan").fill("enterprise");
  await press(page, "button", "Save");
  await waitForMessage(page, "The group was saved.");
  const saved = await read();
  for (const member of ['"plan":"enterprise"', ...numbers]) expect(saved).toContain(member);

  await shown("price").fill("2.75");
  await page.keyboard.press("Control+S");
  await expect.poll(read).toContain('"price":2.75');
  expect(await read()).toContain(numbers[0]);

  await openTab(page, "Sessions and code");
  const code = page.getByRole("region", { name: "Code", exact: true });
  for (const language of ["curl", "Python"]) {
    await put(group("free"));
    await page.getByRole("region", { name: "Code", exact: true }).getByText('"free"').first().waitFor();
    await code.getByRole("tab", { name: language }).press("Enter");
    const snippet = await code.getByRole("region", { name: language }).innerText();
    await put('{"user_group_id":"exact","properties":null}');
    await runSnippet(language, keys.write, snippet);
    for (const member of numbers) expect(await read(), language).toContain(member);
    const { userGroup } = await run(READ, { id: "exact" });
    expect(userGroup.properties, language).toMatchObject({ plan: "free", note: "it's" });
  }
  await code.getByRole("tab", { name: "TypeScript" }).press("Enter");
  await code.getByText('JSON.rawJSON("0.1234567890123456789012")').waitFor();
});

test("a group with 1,000 mapping entries renders 50 of them, and a filter finds the others", async () => {
  const id = "large";
  const mapping = Array.from({ length: 1000 }, (_, index) => ({
    schemaId: `schema-${String(index).padStart(3, "0")}`,
    dataSource: "sales",
  }));
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`property-${index}`, "x".repeat(140)]),
  );
  await run(CREATE, { input: { userGroups: [{ providedId: id, name: "Large", mapping, properties }] } });
  const { page } = await signIn(browser(), service(), keys.write, `#/groups/${id}`);
  const rows = page.getByRole("textbox", { name: /^Schema \d+$/ });
  await page.getByText("50 of 1,000 shown.").waitFor();
  expect(await rows.count()).toBe(50);
  await page
    .getByRole("group", { name: "Mapping" })
    .getByRole("button", { name: "Show 50 more" })
    .press("Enter");
  await page.getByText("100 of 1,000 shown.").waitFor();
  await page.getByLabel("Filter schemas").fill("schema-87");
  await page.getByText("10 of 1,000 shown.").waitFor();
  // It stays while it no longer matches.
  await page.getByLabel("Schema 876", { exact: true }).fill("renamed");
  await page.getByLabel("Filter properties").fill("property-399");
  await page.getByLabel("property-399", { exact: true }).fill("changed");
  await press(page, "button", "Save");
  await waitForMessage(page, "The group was saved.");
  const { userGroup } = await run(READ, { id });
  expect(userGroup.properties).toEqual({ ...properties, "property-399": "changed" });
  expect(userGroup.mapping).toHaveLength(1000);
  expect(userGroup.mapping.map(({ schemaId }: { schemaId: string }) => schemaId)).toContain("renamed");
});

test("what was typed last in a long JSON text is saved, shown in the form, and asked about before leaving", async () => {
  const providedId = "long-text";
  const properties = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`property-${index}`, "x".repeat(140)]),
  );
  await run(CREATE, { input: { userGroups: [{ providedId, name: "Long text", properties }] } });
  const { page } = await signIn(browser(), service(), keys.write);
  await goTo(page, `#/groups/${providedId}`, "Long text");
  await openTab(page, "JSON");
  const text = page.getByRole("textbox", { name: "Properties as JSON" });
  /** Adds a property at the end. Nothing waits for the pause after which long texts are reported. */
  const type = async (name: string) => {
    await text.press("Control+End");
    await page.keyboard.press("Backspace");
    await page.keyboard.insertText(`,"${name}":1}`);
  };
  const saved = async () => Object.keys((await run(READ, { id: providedId })).userGroup.properties).at(-1);
  await type("by-key");
  await page.keyboard.press("Control+S");
  await expect.poll(saved).toBe("by-key");
  await waitForMessage(page, "The group was saved.");
  await type("by-button");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(saved).toBe("by-button");
  await page.getByRole("button", { name: "Discard changes" }).waitFor({ state: "detached" });
  await type("by-tab");
  await page.getByRole("tab", { name: "Form", exact: true }).click();
  await page.getByLabel("Filter properties").fill("by-tab");
  await page.getByLabel("by-tab", { exact: true }).waitFor();
  await press(page, "button", "Discard changes");
  await openTab(page, "JSON");
  await type("by-history");
  await page.goBack();
  await press(page, "button", "Stay");
  await text.getByText("by-history").waitFor();
});
