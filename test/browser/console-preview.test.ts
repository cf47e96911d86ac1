import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import { generateKeyPair, SignJWT } from "jose";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { UserGroupsClient } from "../../clients/typescript/src/client.js";
import { createSession, ENCRYPTION_KEY, resign } from "../support/embed/sessions.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { openPage } from "../support/pages/chromium.js";
import {
  expectQuiet,
  findBarriers,
  goTo,
  openTab,
  press,
  runSnippet,
  signIn,
  useConsole,
  waitForMessage,
} from "../support/pages/console-page.js";
import { shown, useChromium } from "../support/pages/playground-page.js";
import { freePort } from "../support/programs/free-port.js";
import type { TestAccount } from "../support/service/test-service.js";

const CLIENT = fileURLToPath(new URL("../../clients/typescript/src/", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const GROUP = { providedId: "acme", name: "Acme Inc.", properties: { color: "#0b6e4f", currency: "EUR" } };

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const service = useConsole({
  encryptionKey: ENCRYPTION_KEY,
  previewUrl: "https://app.example.com/preview?from=console",
  corsOrigins: [origin],
});
const browser = useChromium();
let account: TestAccount;
let key = "";
let client: UserGroupsClient;
beforeAll(async () => {
  account = await service().createAccount();
  ({ secret: key } = await account.createKey());
  client = new UserGroupsClient({ baseUrl: service().url, apiKey: key });
  await client.userGroups.getOrCreate({ ...GROUP, mapping: { charts: "sales" } });
});

/** The text of the preview's frame, and the color of its chart, which is missing while the frame is renewed. */
const previewOf = (page: Page) => page.frameLocator("iframe").locator("main");
const colorOf = (page: Page) =>
  page.frames()[1]?.evaluate("getComputedStyle(document.querySelector('svg')).fill");

test("previews a group with an embed session, repaints unsaved and saved changes, and says when it expires", async () => {
  const watched = await signIn(browser(), service(), key);
  const { page } = watched;
  await page.clock.install();
  await goTo(page, "#/groups/acme", "Acme Inc.");
  await press(page, "button", "Read as this customer");
  await page.getByText("Accepted by the service.").waitFor();
  await shown(page, "[role=timer]").toMatch(/^00:1[45]:\d\d$/);
  await expect.poll(() => previewOf(page).innerText()).toMatch(/EUR[\s\S]*charts\s+sales/);
  await expect.poll(() => colorOf(page)).toBe("rgb(11, 110, 79)");
  const [, frame] = page.frames();
  // Neither the console nor its session can be reached.
  await expect(frame?.evaluate("parent.document")).rejects.toThrow("cross-origin");
  await expect(frame?.evaluate("document.cookie")).rejects.toThrow("sandboxed");
  const open = page.getByRole("link", { name: "Open as this customer" });
  const href = String(await open.getAttribute("href"));
  expect(href).toMatch(/^https:\/\/app\.example\.com\/preview\?from=console#embed_session=eyJ[\w.-]+$/);
  expect(await open.getAttribute("rel")).toBe("noreferrer");
  expect(await findBarriers(page)).toEqual([]);

  await page.getByLabel("color", { exact: true }).fill("#b5651d");
  await expect.poll(() => colorOf(page)).toBe("rgb(181, 101, 29)");
  await page.getByText("With unsaved changes").waitFor();
  await press(page, "button", "Save");
  await waitForMessage(page, "The group was saved.");
  await page.getByText("With unsaved changes").waitFor({ state: "detached" });
  await expect.poll(() => colorOf(page)).toBe("rgb(181, 101, 29)");

  await press(page, "button", "New embed session…");
  await page.getByLabel("Variables").fill('{"color": "navy"}');
  await press(page, "button", "Create embed session");
  await expect.poll(() => colorOf(page)).toBe("rgb(0, 0, 128)");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect(await findBarriers(page, ["color-contrast"])).toEqual([]);
  await page.clock.fastForward("16:00");
  await page.getByText(/Expired at .* A page asks your server/).waitFor();
  await press(page, "button", "Renew session");
  // The clock of the browser is ahead.
  await page.getByText(/Expired at/).waitFor();
  await expectQuiet(watched, key);
});

test("a preview names the defaults of the schema that it draws, until the group has the property", async () => {
  const schema = { type: "object", properties: { currency: { default: "CHF" }, color: { default: "#fff" } } };
  await client.propertySchema.set({ schema, mode: "WARN" });
  const providedId = "defaults";
  const properties = { color: "#000" };
  await client.userGroups.getOrCreate({
    providedId,
    name: "Defaults",
    properties,
    mapping: { charts: "sales" },
  });
  const { page } = await signIn(browser(), service(), key);
  await goTo(page, `#/groups/${providedId}`, "Defaults");
  const names = page.getByText("Default values of the property schema:");
  await expect.poll(() => names.innerText()).toMatch(/: currency$/);
  await expect.poll(() => previewOf(page).innerText()).toContain("CHF");
  await press(page, "button", "Read as this customer");
  await page.getByText("Accepted by the service.").waitFor();
  await expect.poll(() => previewOf(page).innerText()).toContain("CHF");
  await client.userGroups.update({ providedId, propertiesPatch: { currency: "EUR" } });
  await names.waitFor({ state: "detached" });
  await expect.poll(() => previewOf(page).innerText()).not.toContain("CHF");
  await client.propertySchema.set({ schema: null, mode: "OFF" });
});

describe("a pasted embed session", () => {
  const audience = () => `${account.name}/Customer`;
  const create = async (providedId: string) => {
    const { token: currentToken } = await client.userGroups.getOrCreate({ providedId, name: "Other" });
    return { currentToken, ...(await client.userGroups.createEmbedSession({ providedId })) };
  };
  const now = () => Math.floor(Date.now() / 1000);
  const CASES: Readonly<Record<string, () => Promise<readonly [session: string, explanation: string]>>> = {
    valid: async () => [
      `Bearer ${(await create("acme")).token}`,
      "A page with this session reads Acme Inc. (acme).",
    ],
    expired: async () => {
      const { token } = await create("acme");
      return [await resign(service(), token, { iat: now() - 120, exp: now() - 60 }), "Refused Expired at"];
    },
    "wrong key": async () => {
      const { privateKey } = await generateKeyPair("ES256");
      const header = { alg: "ES256", kid: "k1", typ: "embed+jwt" };
      const token = await new SignJWT({ iss: "user-groups" }).setProtectedHeader(header).sign(privateKey);
      return [token, "Wrong key: this service does not publish the key k1."];
    },
    "wrong signature": async () => {
      const { token } = await create("acme");
      const [header, , signature] = token.split(".");
      const claims = Buffer.from('{"iss":"user-groups","sub":"1"}').toString("base64url");
      return [`${header}.${claims}.${signature}`, "Wrong signature"];
    },
    "other account": async () => {
      const other = await service().createAccount();
      const { secret } = await other.createKey();
      const otherClient = new UserGroupsClient({ baseUrl: service().url, apiKey: secret });
      await otherClient.userGroups.getOrCreate(GROUP);
      const { token } = await createSession(service(), secret, { user_group_id: "acme" });
      return [
        token,
        `for another account or environment: ${other.name}/Customer. You are signed in to ${audience()}`,
      ];
    },
    "deleted group": async () => {
      const { token, currentToken } = await create("deleted");
      await client.userGroups.delete({ currentToken });
      return [token, "was deleted."];
    },
    "rotated token": async () => {
      const { token, currentToken } = await create("rotated");
      await client.userGroups.rotateToken({ currentToken });
      return [token, "the token of Other was rotated"];
    },
    "group token": async () => [(await create("acme")).currentToken, "This is a user group token"],
    "other text": async () => ["eyJ.a.b", "This is no JWT"],
  };

  test("is explained", async () => {
    const watched = await signIn(browser(), service(), key, "#/check-session");
    const { page } = watched;
    for (const prepare of Object.values(CASES)) {
      const [session, explanation] = await prepare();
      await page.getByLabel("Embed session", { exact: true }).fill(session);
      await page.getByText(explanation).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    }
    expect(watched.complaints.filter((each) => !each.includes("401"))).toEqual([]);
  });
});

test("a page says why the embed of a group shows nothing: its mapping, a tool that refuses it, the page's origin", async () => {
  await client.userGroups.getOrCreate({ providedId: "bare", name: "Bare Ltd." });
  const template = {
    name: "cube",
    algorithm: "HS256",
    claims: { region: "{{ userGroup.properties.region }}" },
  };
  const create = `mutation($input: CreateSessionTemplateInput!) {
    createSessionTemplate(input: $input) { userErrors { message } }
  }`;
  const secret = "0123456789".repeat(4);
  const { body } = await callGraphql(service().url, key, create, { input: { ...template, secret } });
  expect(body).toMatchObject({ data: { createSessionTemplate: { userErrors: [] } } });
  const watched = await signIn(browser(), service(), key, "#/groups/bare");
  const { page } = watched;
  await page.getByText("No data source is mapped: the dashboard of this customer has no data.").waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
  await press(page, "link", "Why does the embed show nothing?");
  await page.getByText("No data source is mapped, so that every chart of Bare Ltd. is empty.").waitFor();
  await press(page, "button", "Check dashboard tools");
  await page.getByText(/cube refuses this group: .*region/).waitFor();
  for (const [address, verdict] of [
    [`${origin}/reports`, "may call this service."],
    ["https://unknown.example.com", "add it to the setting CORS_ORIGINS"],
  ] as const) {
    await page.getByLabel("Address of the page").fill(address);
    await press(page, "button", "Check the address");
    await page.getByText(verdict).waitFor();
  }
  expect(await findBarriers(page)).toEqual([]);
  await page.getByLabel("External ID").fill("nobody");
  await page.getByText("This environment has no group with the external ID nobody.").waitFor();
  await expectQuiet(watched, key);
});

test("an empty account shows its first chart: a sample customer, drawn with a session, and code with a new key", async () => {
  const empty = await service().createAccount();
  const watched = await signIn(browser(), service(), (await empty.createKey()).secret, "#/");
  const { page } = watched;
  await page.getByRole("heading", { level: 1, name: "Your first chart" }).waitFor();
  await page.getByLabel("Color").fill("#102030");
  await expect.poll(() => colorOf(page)).toBe("rgb(16, 32, 48)");
  expect(await findBarriers(page)).toEqual([]);
  await press(page, "button", "Create sample customer");
  await page.getByText("Accepted by the service.").waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Your first chart");
  await expect.poll(() => colorOf(page)).toBe("rgb(16, 32, 48)");
  await press(page, "button", "Create an API key");
  await page.getByText("It expires in 90 days.").waitFor();
  const [, apiKey = ""] =
    /^export USER_GROUPS_API_KEY=(ugk_\w+)$/.exec(
      await page.getByRole("region", { name: "API key", exact: true }).innerText(),
    ) ?? [];
  await page.getByRole("tab", { name: "curl" }).press("Enter");
  const curl = await page.getByRole("region", { name: "curl embed code" }).innerText();
  expect(JSON.parse(await runSnippet("curl", apiKey, curl))).toMatchObject({
    token: expect.stringMatching(/^eyJ/),
  });
  expect(await findBarriers(page)).toEqual([]);
  await expectQuiet(watched, apiKey);
  await page.getByRole("link", { name: "Acme Inc." }).press("Enter");
  await page.getByRole("heading", { level: 1, name: "Acme Inc." }).waitFor();
  await goTo(page, "#/", "Overview");
});

test("the embed code shows the group in a page, with and without React", async () => {
  const { page } = await signIn(browser(), service(), key, "#/groups/acme");
  await openTab(page, "Sessions and code");
  const code = page.getByRole("region", { name: "Embed code" });
  const snippet = async (name: string) => {
    await code.getByRole("tab", { name }).press("Enter");
    return code.getByRole("region", { name: `${name} embed code` }).innerText();
  };
  const directory = await mkdtemp(join(tmpdir(), "embed-code-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const bundle = async (name: string, input: string) => {
    const alias = { "@user-groups/client": CLIENT.slice(0, -1) };
    const built = await rolldown({
      input,
      platform: "browser",
      resolve: { alias, extensions: [".ts", ".js"], modules: [MODULES] },
      logLevel: "silent",
    });
    await built.write({ file: join(directory, name), format: "esm" });
  };
  await writeFile(join(directory, "index.html"), await snippet("HTML"));
  await bundle("user-groups-client.js", `${CLIENT}browser.ts`);
  const start = `import { createRoot } from "react-dom/client";
    createRoot(document.body).render(<Dashboard />);`;
  await writeFile(join(directory, "main.jsx"), `${await snippet("React")}\n${start}`);
  await writeFile(
    join(directory, "react.html"),
    '<!doctype html><body></body><script type="module" src="react.js"></script>',
  );
  await bundle("react.js", join(directory, "main.jsx"));
  const body = (await snippet("Server"))
    .replaceAll(/^import .*$/gm, "")
    .replace("app.use", "return app.use")
    .replace('"public"', "directory")
    .replace("3000", "port");
  const run = new Function("UserGroupsClient", "express", "process", "directory", "port", body);
  const server: Server = run(
    UserGroupsClient,
    express,
    { env: { USER_GROUPS_API_KEY: key } },
    directory,
    port,
  );
  await once(server, "listening");
  onTestFinished(() => void server.close());
  for (const path of ["/", "/react.html"]) {
    const { page: embedded } = await openPage(browser(), origin + path);
    await embedded.getByRole("heading", { name: "Acme Inc." }).waitFor();
    await shown(embedded, "pre").toContain('"currency": "EUR"');
  }
});
