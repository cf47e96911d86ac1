import { execFile } from "node:child_process";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import type { Page } from "playwright-core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { UserGroupsClient } from "../../clients/typescript/src/index.js";
import {
  type ClientConsumer,
  CONSUMER_FILES,
  checkTypes,
  copyExample,
  copyPackage,
  DECLARATIONS,
  FAULTS,
  installClient,
  startExample,
} from "../support/clients/packed-client.js";
import { openPage } from "../support/pages/chromium.js";
import { shown, useChromium } from "../support/pages/playground-page.js";
import { freePort } from "../support/programs/free-port.js";
import { mistyped } from "../support/secrets/secret-search.js";
import { startTestService, type TestService } from "../support/service/test-service.js";
import { BUNDLERS } from "./support/bundlers.js";

const { "@user-groups/client": _client, ...exampleDependencies } = await readJson(
  "clients/typescript/examples/app/package.json",
  "dependencies",
);
/** Further packages of the consumer's project, taken from ours. */
const BORROWED = [
  "@types/node",
  "@types/react",
  "csstype",
  "undici-types",
  "@graphql-typed-document-node/core",
  "graphql",
  "graphql-ws",
  ...Object.keys(exampleDependencies),
];

let consumer: ClientConsumer;
beforeAll(async () => {
  consumer = await installClient(BORROWED);
  // The documentation site uses it.
  await symlink(resolve("docs/node_modules/vue"), join(consumer.directory, "node_modules/vue"));
  for (const [name, text] of Object.entries(CONSUMER_FILES)) {
    await writeFile(join(consumer.directory, name), text);
  }
});
afterAll(() => consumer?.remove());

test("the package contains only the files it needs", async () => {
  const { files, installed } = consumer;
  const modules =
    /^dist\/(?:(?:generated\/)?[a-z-]+\.js|(?:cjs\/)?(?:(?:generated|viewer)\/)?[a-z-]+\.d\.ts)$/;
  expect(files.filter((path) => !modules.test(path)).toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "dist/cjs/package.json",
    "dist/persisted-queries.json",
    "package.json",
  ]);
  const { dependencies, exports } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  expect(dependencies).toBeUndefined();
  expect(Object.keys(exports)).toEqual([
    ".",
    "./browser",
    "./react",
    "./persisted-queries.json",
    "./package.json",
  ]);
});

test("publint reports no problem", async () => {
  const { messages } = await publint({ pkgDir: consumer.installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test("Are the types wrong reports no problem for module resolutions that know exports", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(await readFile(consumer.tarball)));
  if (analysis.types === false) throw new Error("The package has no types.");
  expect(Object.keys(analysis.entrypoints).toSorted()).toEqual([
    ".",
    "./browser",
    "./package.json",
    "./persisted-queries.json",
    "./react",
  ]);
  const problems = analysis.problems.filter(
    (problem) =>
      // Node.js 20.19 and later can require an ES module.
      !["CJSResolvesToESM", "FalseCJS"].includes(problem.kind) &&
      !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  expect(problems).toEqual([]);
});

test("programs, pages and the guides' snippets compile, and misuse does not", async () => {
  const { directory } = consumer;
  const [programs = [], pages, commonJs] = await Promise.all(
    ["tsconfig.json", "tsconfig.browser.json", "tsconfig.common-js.json"].map((config) =>
      checkTypes(directory, config),
    ),
  );
  expect({ pages, commonJs }).toEqual({ pages: [], commonJs: [] });
  const faults = FAULTS.split("\n").map((_line, index) => `faults.ts:${index + 1}`);
  expect(programs.toSorted()).toEqual(faults.slice(DECLARATIONS).toSorted());
});

test.each(Object.entries(BUNDLERS))(
  "%s builds a server from it without other packages",
  async (_name, bundle) => {
    const directory = await copyPackage(consumer);
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(
      join(directory, "main.js"),
      'import { verifyWebhook } from "@user-groups/client";\nconsole.log(typeof verifyWebhook);\n',
    );
    const { stdout } = await promisify(execFile)(process.execPath, [await bundle(directory)]);
    expect(stdout).toBe("function\n");
  },
);

test("it can be imported and required, as one module", async () => {
  const script = `
    const required = require("@user-groups/client");
    Promise.all([import("@user-groups/client"), import("@user-groups/client/browser")]).then(([imported, browser]) =>
      console.log(imported.UserGroupsClient === required.UserGroupsClient, typeof browser.createViewer));`;
  await writeFile(join(consumer.directory, "both.cjs"), script);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["both.cjs"], {
    cwd: consumer.directory,
  });
  expect({ stdout, stderr }).toEqual({ stdout: "true function\n", stderr: "" });
});

test("the example depends on the versions that are tested here", async () => {
  const tested = await readJson("clients/typescript/package.json", "devDependencies");
  expect(tested).toMatchObject(exampleDependencies);
});

describe("the example", () => {
  const browser = useChromium();
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    service = await startTestService({ corsOrigins: [`http://127.0.0.1:${port}`] });
    await copyExample(consumer);
  });
  afterAll(() => service?.close());

  async function start(settings: {
    readonly port: number;
    readonly serviceUrl?: string;
    readonly apiKey?: string;
  }) {
    const account = await service.createAccount();
    const { secret: apiKey } = await account.createKey({ scope: "write" });
    const audience = `${account.name}/Customer`;
    const url = await startExample(consumer, { serviceUrl: service.url, apiKey, audience, ...settings });
    return { url, apiKey, client: new UserGroupsClient({ baseUrl: service.url, apiKey }) };
  }

  test("draws its customer's chart from another origin, and follows changes through a token rotation", async () => {
    const { url, apiKey, client } = await start({ port });
    const { page, complaints, elsewhere } = await openPage(browser(), url);
    const secrets: string[] = [];
    page.on("response", async (response) => {
      if ((await response.text().catch(() => "")).includes(apiKey)) secrets.push(response.url());
    });
    let documents = 0;
    page.on("domcontentloaded", () => documents++);
    await signIn(page);
    await shown(page, "h1").toBe("Globex Corp.");
    await shown(page, "dl").toBe("currency USD color #b5651d region US");
    await shown(page, "figcaption").toBe("Sales in US, in USD");
    expect(await page.locator("rect").count()).toBe(6);
    expect(await page.locator("text").allTextContents()).toContain("300");
    expect(await page.locator("svg").getAttribute("fill")).toBe("#b5651d");
    await client.userGroups.update({ providedId: "globex", properties: { html: "<img src=x>" } });
    await shown(page, "dl").toBe("html <img src=x> region US");

    const { token: currentToken } = await client.userGroups.getOrCreate({ providedId: "globex" });
    await client.userGroups.rotateToken({ currentToken });
    await client.userGroups.update({ providedId: "globex", properties: { region: "EU", currency: "CAD" } });
    // The session's variable takes precedence over the property.
    await shown(page, "dl").toBe("region US currency CAD");
    await shown(page, "figcaption").toBe("Sales in US, in CAD");
    expect(documents).toBe(1);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    // The browser logs the replies to requests without a session or with the former one, and the end of the stream.
    for (const complaint of complaints) expect(complaint).toMatch(/401|net::ERR_/);
    expect(new Set(elsewhere)).toEqual(new Set([`${service.url}/graphql`]));
    expect(secrets).toEqual([]);
  });

  test("is not cacheable, reveals nothing to strangers, and handles an unavailable service", async () => {
    const serviceUrl = "http://127.0.0.1:1";
    const { url } = await start({ port: 0, serviceUrl });
    const { headers } = await fetch(url);
    expect(headers.get("cache-control")).toBe("no-store");
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain(`connect-src 'self' ${serviceUrl};`);
    for (const cookie of ["", "customer=acme", "customer=acme.", "customer=acme.AAAA"]) {
      const refused = await fetch(`${url}/embed-session`, { headers: { cookie } });
      expect(refused.status).toBe(401);
      expect(await refused.text()).not.toMatch(/ugt_|eyJ/);
    }
    const form = { method: "POST", body: new URLSearchParams({ customer: "acme" }) };
    const signedIn = await fetch(`${url}/sign-in`, { ...form, redirect: "manual" });
    const cookie = signedIn.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^customer=acme\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const headersOfCustomer = { cookie: cookie.split(";")[0] ?? "" };
    const failed = await fetch(`${url}/embed-session`, { headers: headersOfCustomer });
    expect(failed.status).toBe(503);
    expect(await failed.json()).toEqual({ error: "The service is temporarily unavailable." });
  });

  test("says in one line that the API key is none, or unknown", async () => {
    for (const apiKey of ["", "ugk_live_…", "ugt_x"])
      await expect(start({ port: 0, apiKey })).rejects.toThrow(
        /: Set `USER_GROUPS_API_KEY` to an API key[^\n]+\n$/,
      );
    const { secret } = await (await service.createAccount()).createKey();
    await expect(start({ port: 0, apiKey: mistyped(secret) })).rejects.toThrow(
      /did not start: http:\S+: The API key is unknown[^\n]+\n$/,
    );
  });

  test("delivers data for valid sessions only", async () => {
    const { url, client } = await start({ port: 0 });
    const { token } = await client.userGroups.getOrCreate({ providedId: "data", name: "Data" });
    const variables = { region: "EU" };
    const session = await client.userGroups.createEmbedSession({ currentToken: token, variables });
    const salesOf = (bearer: string) =>
      fetch(`${url}/sales`, { headers: { authorization: `Bearer ${bearer}` } });
    expect(await (await salesOf(session.token)).json()).toMatchObject({ Jan: 120 });
    for (const refused of [token, session.token.slice(0, -2), "x"]) {
      expect((await salesOf(refused)).status).toBe(401);
    }
  });

  test("shows when the service does not allow its origin", async () => {
    const { url } = await start({ port: 0 });
    const { page } = await openPage(browser(), url);
    await signIn(page);
    await shown(page, "h1").toBe("The dashboard is not available");
    await shown(page, "p").toContain("CORS_ORIGINS");
  });
});

async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Globex Corp." }).click();
}

async function readJson(path: string, field: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(path, "utf8"))[field];
}
