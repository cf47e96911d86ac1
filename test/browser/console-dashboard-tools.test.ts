import { jwtVerify } from "jose";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import {
  CREATE,
  expectQuiet,
  findBarriers,
  goTo,
  press,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { shown, useChromium } from "../support/pages/playground-page.js";

const TOOL = "https://metabase.example.com";
const SECRET = "0123456789abcdef0123456789abcdef";

const service = useConsole({
  frameOrigins: [TOOL],
  publicUrl: "https://groups.example.com",
  auditEmbedSessions: true,
});
const browser = useChromium();
let key = "";

async function run(query: string, variables: object = {}) {
  const { body } = await callGraphql(service().url, key, query, { ...variables });
  const { data, errors } = Object(body);
  expect(errors).toBeUndefined();
  return data;
}

beforeEach(async () => {
  key = (await (await service().createAccount()).createKey()).secret;
  await run(CREATE, {
    input: {
      userGroups: [
        {
          providedId: "acme",
          name: "Acme Inc.",
          properties: { tenant: 7 },
          mapping: [{ schemaId: "charts", dataSource: "sales" }],
        },
        { providedId: "globex", name: "Globex", properties: { "sales region": "EU" } },
      ],
    },
  });
});

async function createTemplate(fields: object): Promise<void> {
  const input = {
    algorithm: "HS256",
    secret: SECRET,
    claims: { sub: "{{ userGroup.providedId }}" },
    ...fields,
  };
  const { createSessionTemplate } = await run(
    `mutation($input: CreateSessionTemplateInput!) {
      createSessionTemplate(input: $input) { userErrors { message } } }`,
    { input },
  );
  expect(createSessionTemplate.userErrors).toEqual([]);
}

const claimsOf = (page: Page) => page.getByRole("textbox", { name: "Claims" });

test("a template is created from a preset after its claims were checked for a group", async () => {
  const watched = await signIn(browser(), service(), key, "#/dashboard-tools");
  const { page } = watched;
  await page.getByText("No templates yet").waitFor();
  await page.getByRole("link", { name: "New template" }).first().press("Enter");
  await page.getByRole("heading", { level: 1, name: "Pick a tool" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await press(page, "link", "Metabase");
  await page.getByRole("heading", { level: 1, name: "New template for Metabase" }).waitFor();
  await shown(page, "[aria-label=Claims]").toContain("{{ userGroup.properties.tenant }}");
  await page.getByLabel("Group", { exact: true }).fill("globex");
  await press(page, "button", "Check claims");
  await page.getByText("Sessions of 1 of 2 checked groups would be refused.").waitFor();
  await page.getByText(/is missing for the user group `globex`: set its property `tenant`/).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // The error leads to its claim, which a reference replaces.
  await press(page, "button", "Line 7");
  await page.getByText("Insert a reference").press("Enter");
  const references = await page.locator(".references li").allInnerTexts();
  expect(references).toEqual(
    expect.arrayContaining([
      '{{ userGroup.properties["sales region"] }}',
      "{{ userGroup.mapping.charts }}",
      "{{ userGroup.properties.tenant }}",
    ]),
  );
  await press(page, "button", '{{ userGroup.properties["sales region"] }}');
  await press(page, "button", "Check claims");
  expect(JSON.parse(await page.getByRole("region", { name: "Rendered claims" }).innerText())).toEqual({
    resource: { dashboard: 1 },
    params: { tenant: ["EU"] },
  });

  await press(page, "button", "Create template…");
  await page.getByRole("dialog").getByText("Sessions of 1 of 2 checked groups would be refused.").waitFor();
  await press(page, "button", "Create template");
  await page.getByText("Is required with HS256: the secret of the dashboard tool.").waitFor();
  await page.getByLabel("Secret", { exact: true }).fill("0123456789abcdef");
  await press(page, "button", "Create template…");
  await press(page, "button", "Create template");
  const dialog = page.getByRole("dialog", { name: "metabase was saved" });
  await dialog.getByText(/The secret has 16 bytes; 32 or more are better/).waitFor();
  await press(page, "button", "Close");
  await page.getByRole("heading", { level: 1, name: "metabase" }).waitFor();
  expect(await page.getByLabel("Secret", { exact: true }).inputValue()).toBe("");
  expect(await findBarriers(page)).toEqual([]);
  await goTo(page, "#/dashboard-tools", "Dashboard tools");
  await page.getByRole("row", { name: /metabase.*https:\/\/metabase\.example\.com.*600 s/ }).waitFor();
  await expectQuiet(watched, key);
});

test("a template is edited despite a conflict, and deleted", async () => {
  await createTemplate({ name: "cube", algorithm: "ES256", secret: undefined });
  const { page } = await signIn(browser(), service(), key, "#/dashboard-tools");
  await press(page, "link", "cube");
  await page.getByText(/^https:\/\/groups\.example\.com\/accounts\/\d+\/Customer\/jwks\.json$/).waitFor();
  await page.getByRole("button", { name: "Copy Key set URL" }).waitFor();
  await page.getByLabel("Signed with").selectOption("HS256");
  await page.getByText("Send it again").waitFor();
  await page.getByLabel("Signed with").selectOption("ES256");
  await claimsOf(page).fill('{ "sub": "{{ userGroup.nothing }}", "exp": 1 }');
  await press(page, "button", "Save…");
  await page.getByText(/exp must be omitted/).waitFor();
  await claimsOf(page).fill('{ "tenant": "');
  await claimsOf(page).press("Control+Space");
  await page.getByRole("option", { name: "{{ userGroup.mapping.charts }}" }).waitFor();
  await claimsOf(page).press("Escape");
  await claimsOf(page).fill('{ "tenant": "{{ userGroup.properties.tenant ?? 0 }}" }');
  await run(`mutation { updateSessionTemplate(input: { by: { name: "cube" }, description: "By others" }) {
    userErrors { message } } }`);
  await press(page, "button", "Save…");
  await page.getByRole("dialog").getByText("No session would be refused").waitFor();
  await press(page, "button", "Save template");
  await page.getByText("Someone else saved this template while you were editing.").waitFor();
  await press(page, "button", "Overwrite with my changes");
  await press(page, "button", "Save template");
  await waitForMessage(page, "cube was saved.");
  expect(
    (await run('{ sessionTemplate(by: { name: "cube" }) { claims description version } }')).sessionTemplate,
  ).toEqual({
    claims: { tenant: "{{ userGroup.properties.tenant ?? 0 }}" },
    description: "",
    version: 3,
  });
  await press(page, "button", "Delete…");
  await page.getByLabel("Type cube to confirm").fill("cube");
  await page.keyboard.press("Enter");
  await waitForMessage(page, "cube was deleted.");
  await page.getByText("No templates yet").waitFor();
});

test("a group's page opens a tool of an allowed origin in a sandboxed frame, and no other", async () => {
  await createTemplate({ name: "metabase", url: `${TOOL}/embed/{{ token }}` });
  await createTemplate({ name: "other", url: "https://other.example.com/#{{ token }}" });
  const watched = await signIn(browser(), service(), key, "#/groups/acme?tab=code");
  const { page, complaints } = watched;
  const requests: { readonly url: string; readonly referer: string | undefined }[] = [];
  await page.context().route(/^https:/, async (route) => {
    const { referer } = route.request().headers();
    requests.push({ url: route.request().url(), referer });
    await route.fulfill({ contentType: "text/html", body: "<h1>Sales</h1>" });
  });
  await page.getByText("an operator can add https://other.example.com to FRAME_ORIGINS").waitFor();
  await press(page, "button", "Open metabase");
  await page.frameLocator(".tool-frame").getByRole("heading", { name: "Sales" }).waitFor();
  const frame = page.getByTitle("Acme Inc. in metabase");
  expect(await frame.getAttribute("sandbox")).toBe("allow-scripts allow-same-origin allow-forms");
  const [, token = ""] =
    /^https:\/\/metabase\.example\.com\/embed\/([\w.-]+)$/.exec(requests[0]?.url ?? "") ?? [];
  const { payload } = await jwtVerify(token, Buffer.from(SECRET));
  expect(payload).toMatchObject({ sub: "acme", exp: (payload.iat ?? 0) + 60 });
  expect(requests).toEqual([{ url: requests[0]?.url, referer: undefined }]);
  expect(await page.evaluate("location.href + JSON.stringify(history.state)")).not.toContain(token);
  expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
    token,
  );
  await expect(page.frames().at(-1)?.evaluate("parent.document")).rejects.toThrow("cross-origin");
  expect(await findBarriers(page)).toEqual([]);
  const { userGroup } = await run(
    '{ userGroup(by: { providedId: "acme" }) { auditLog(first: 1) { nodes { action } } } }',
  );
  expect(userGroup.auditLog.nodes).toEqual([{ action: "USER_GROUP_EMBED_SESSION_CREATED" }]);
  expect(complaints).toEqual([]);

  await page.evaluate(`new Promise((resolve) => {
    addEventListener("securitypolicyviolation", resolve);
    const frame = document.createElement("iframe");
    frame.src = "https://other.example.com/";
    document.body.append(frame);
  })`);
  expect(complaints.join()).toContain("frame-src 'self' https://metabase.example.com");
  expect(requests).toHaveLength(1);
  await press(page, "button", "Close metabase");
  await frame.waitFor({ state: "detached" });
});
