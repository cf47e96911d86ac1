import type { Browser, Page } from "playwright-core";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium, openPage, startChromium } from "./support/chromium.js";
import { callGraphql } from "./support/graphql-client.js";
import { callRest } from "./support/rest-client.js";
import { startTestService, type TestService } from "./support/test-service.js";

const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PREFLIGHT = { "apollo-require-preflight": "true" };
const TYPENAME = `?query=${encodeURIComponent("{ __typename }")}`;
const CSRF = { errors: [{ message: expect.stringContaining("Cross-Site Request Forgery") }] };
const ANSWER = { status: 200, body: { data: { __typename: "Query" } } };

const QUERY = ".graphiql-query-editor .graphiql-editor";
const HEADERS = "section[aria-label=Headers] .graphiql-editor:not(.hidden)";
const RESULT = ".result-window";
const DOCS = ".graphiql-doc-explorer";
const PATIENTLY = { timeout: 10_000 };

type Headers = Readonly<Record<string, string | undefined>>;

const chromium = await findChromium();
const NO_CHROMIUM = "The playground is not tried in a browser: no Chromium on the PATH, no CHROMIUM_PATH.";
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe("the page", () => {
  test("is what a browser gets, and may load nothing from elsewhere", async () => {
    const { status, headers, body } = await fetchText("/graphql", BROWSER_ACCEPT);
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      },
    });
    const policy = String(headers["content-security-policy"]).split("; ");
    const rules = ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"];
    expect(policy).toEqual(expect.arrayContaining(rules));
    expect(policy.join()).not.toMatch(/\*|https?:|unsafe-eval/);
    expect(body).not.toMatch(/https?:/);
  });

  test("is not what other clients of the path get", async () => {
    for (const accept of ["*/*", "application/json"]) {
      expect(await get(`/graphql${TYPENAME}`, { accept, ...PREFLIGHT })).toMatchObject(ANSWER);
    }
    expect(await post({ accept: BROWSER_ACCEPT })).toMatchObject(ANSWER);
  });
});

describe("the assets", () => {
  test("are scripts and a style that never change", async () => {
    const { body: page } = await fetchText("/graphql", BROWSER_ACCEPT);
    const linked = [...page.matchAll(/(?:src|href)="(graphql\/assets\/[^"]+)"/g)].map(
      ([, path]) => `/${path}`,
    );
    expect(linked).toHaveLength(3);
    const [start = ""] = linked.filter((path) => path.includes("/start-"));
    const { body: script } = await fetchText(start, "*/*");
    const workers = [...script.matchAll(/"([\w-]+\.js)"/g)].map(([, file]) => `/graphql/assets/${file}`);
    expect(workers).toHaveLength(3);
    for (const path of [...linked, ...workers]) {
      const { status, headers } = await fetchText(path, "*/*");
      expect({ path, status, headers }).toMatchObject({
        path: expect.stringMatching(/-[0-9a-f]{12}\.(?:js|css)$/),
        status: 200,
        headers: {
          "content-type": `text/${path.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`,
          "cache-control": "public, max-age=31536000, immutable",
          "content-security-policy": "default-src 'none'",
          "x-content-type-options": "nosniff",
        },
      });
    }
  });

  test("that do not exist are not found", async () => {
    for (const file of ["graphiql-000000000000.js", "constructor", "..%2f..%2fpackage.json"]) {
      const { status, headers, body } = await get(`/graphql/assets/${file}`);
      const message = "There is nothing at this path.";
      const error = { code: "not_found", message, request_id: headers["x-request-id"] };
      expect({ status, body }).toEqual({ status: 404, body: { success: 0, error } });
      expect(headers["cache-control"]).toBe("no-store");
    }
  });
});

describe("a request that a foreign page can make a browser send", () => {
  test("is refused: a plain GET, a POST without a type or with a form's", async () => {
    expect(await get(`/graphql${TYPENAME}`, { accept: "*/*" })).toMatchObject({ status: 400, body: CSRF });
    expect(await post({ "content-type": undefined })).toMatchObject({ status: 400, body: CSRF });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      expect(await post({ "content-type": type })).toMatchObject({
        status: 415,
        body: { errors: [{ extensions: { code: "UNSUPPORTED_MEDIA_TYPE" } }] },
      });
    }
  });
});

test("without the playground a browser is a client like others", async () => {
  const { url, close } = await startTestService({ playground: false });
  try {
    const headers = { accept: BROWSER_ACCEPT };
    expect(await get("/graphql", headers, url)).toMatchObject({ status: 400, body: CSRF });
    expect(await get(`/graphql${TYPENAME}`, { ...headers, ...PREFLIGHT }, url)).toMatchObject(ANSWER);
    const { body } = await fetchText("/graphql", BROWSER_ACCEPT);
    const [, asset = ""] = /src="([^"]+)"/.exec(body) ?? [];
    expect(asset).toContain("graphql/assets/");
    expect(await get(`/${asset}`, headers, url)).toMatchObject({ status: 404 });
  } finally {
    await close();
  }
});

test("without introspection the schema stays unknown, to errors too", async () => {
  const { url, close } = await startTestService({ introspection: false });
  try {
    for (const query of ["{ __schema { queryType { name } } }", '{ __type(name: "Viewer") { name } }']) {
      expect(await callGraphql(url, undefined, query)).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { validationErrorCode: "INTROSPECTION_DISABLED" } }] },
      });
    }
    const typo = "{ viewer { scop } }";
    const message = 'Cannot query field "scop" on type "Viewer".';
    expect(await callGraphql(url, undefined, typo)).toMatchObject({
      status: 400,
      body: { errors: [{ message }] },
    });
    expect(await callGraphql(service.url, undefined, typo)).toMatchObject({
      status: 400,
      body: { errors: [{ message: `${message} Did you mean "scope"?` }] },
    });
  } finally {
    await close();
  }
});

describe("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    if (chromium === undefined) process.stderr.write(`${NO_CHROMIUM}\n`);
    else browser = await startChromium(chromium);
  });
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(chromium === undefined, NO_CHROMIUM));

  test("the playground opens with a query, a hint for the headers and working editors", async () => {
    const { page, complaints, elsewhere } = await openPage(browser, `${service.url}/graphql`);
    await shown(page, QUERY).toContain("query Viewer {");
    await shown(page, HEADERS).toContain('// "Authorization": "Token <API_KEY>"');
    const workers = () => page.workers().map((worker) => new URL(worker.url()).pathname);
    for (const name of ["editor", "json", "graphql"]) {
      const path = new RegExp(`^/graphql/assets/${name}-worker-[0-9a-f]{12}\\.js$`);
      await expect.poll(workers, PATIENTLY).toContainEqual(expect.stringMatching(path));
    }
    await write(page, QUERY, "{ userG");
    await shown(page, ".suggest-widget.visible").toContain("userGroup");
    await write(page, HEADERS, "oops");
    await page.locator(`${HEADERS} .squiggly-error`).waitFor({ state: "attached" });
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("the playground shows the schema to somebody without a key, and keeps its first query", async () => {
    const { page, complaints, elsewhere } = await openPage(browser, `${service.url}/graphql`);
    await page.getByLabel("Show Documentation Explorer").click();
    await page.locator(DOCS).getByText("DataSourcePayload", { exact: true }).click();
    await shown(page, DOCS).toContain("Why the change failed; empty when it did not.");
    await untilStored(page, "query Viewer");
    await page.reload();
    await shown(page, QUERY).toContain("query Viewer {");
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("the playground runs a query with the key that is put into the hint, and forgets the key", async () => {
    const { name, createKey } = await service.createAccount();
    const { secret } = await createKey();
    const { page, complaints, elsewhere } = await openPage(browser, `${service.url}/graphql`);
    await putKey(page, secret);
    await page.keyboard.press("Control+Enter");
    await shown(page, RESULT).toContain(`"accountName": "${name}"`);
    await write(page, QUERY, "query Mine { viewer { scope } }");
    await untilStored(page, "query Mine");
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(secret);
    await page.reload();
    await shown(page, QUERY).toContain("query Mine");
    await shown(page, HEADERS).toContain("<API_KEY>");
    expect(page.url()).toBe(`${service.url}/graphql`);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  test("the playground shows why a key is refused", async () => {
    const { page, complaints, elsewhere } = await openPage(browser, `${service.url}/graphql`);
    await putKey(page, "wrong");
    await page.getByLabel("Execute query").click();
    await shown(page, RESULT).toContain('"code": "UNAUTHENTICATED"');
    const report = expect.stringContaining("the server responded with a status of 401");
    expect({ complaints, elsewhere }).toEqual({ complaints: [report], elsewhere: [] });
  });
});

/** Waits for what an element shows; the editors write spaces as no-break ones and wrap long lines. */
function shown(page: Page, selector: string) {
  const read = async () => (await page.locator(selector).allInnerTexts()).join(" ").replaceAll(/\s+/g, " ");
  return expect.poll(read, PATIENTLY);
}

async function untilStored(page: Page, query: string): Promise<void> {
  const tabs = () => page.evaluate('localStorage.getItem("graphiql:tabState")');
  await expect.poll(tabs, PATIENTLY).toContain(query);
}

async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} textarea`).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
}

/** Does what the first query says: uncomments the header and writes the key in place of <API_KEY>. */
async function putKey(page: Page, key: string): Promise<void> {
  await shown(page, HEADERS).toContain("<API_KEY>");
  await page.locator(`${HEADERS} textarea`).focus();
  for (const stroke of ["Control+Home", "ArrowDown", "Control+Slash", "End", "ArrowLeft"]) {
    await page.keyboard.press(stroke);
  }
  for (const _ of "<API_KEY>") await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.insertText(key);
  await shown(page, HEADERS).toContain(`"Authorization": "Token ${key}"`);
}

function get(path: string, headers: Headers = {}, url = service.url) {
  return callRest(`${url}${path}`, "GET", undefined, undefined, headers);
}

function post(headers: Headers) {
  return callRest(`${service.url}/graphql`, "POST", undefined, { query: "{ __typename }" }, headers);
}

async function fetchText(path: string, accept: string) {
  const { statusCode, headers, body } = await request(`${service.url}${path}`, { headers: { accept } });
  return { status: statusCode, headers, body: await body.text() };
}
