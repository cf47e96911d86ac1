import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildSchema, parse, validate } from "graphql";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { exampleOperations } from "../../../src/http/pages/playground-examples.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { builtPages } from "../../support/pages/built-pages.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PREFLIGHT = { "apollo-require-preflight": "true" };
const TYPENAME = `?query=${encodeURIComponent("{ __typename }")}`;
const CSRF = { errors: [{ message: expect.stringContaining("Cross-Site Request Forgery") }] };
const ANSWER = { status: 200, body: { data: { __typename: "Query" } } };

type Headers = Readonly<Record<string, string | undefined>>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ pagesDirectory: await builtPages() });
});
afterAll(() => service.close());

describe("the page", () => {
  test("is served to browsers and can load nothing from other origins", async () => {
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

  test("is not served to other clients", async () => {
    for (const accept of ["*/*", "application/json"]) {
      expect(await get(`/graphql${TYPENAME}`, { accept, ...PREFLIGHT })).toMatchObject(ANSWER);
    }
    expect(await post({ accept: BROWSER_ACCEPT })).toMatchObject(ANSWER);
  });
});

describe("the assets", () => {
  test("are immutable scripts and a style sheet", async () => {
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
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "x-content-type-options": "nosniff",
        },
      });
    }
  });

  test("are compressed for clients that accept it", async () => {
    const plain = await fetchAsset();
    expect(plain.headers).toMatchObject({ vary: "accept-encoding" });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    for (const [accepted, coding, decompress] of [
      ["gzip", "gzip", gunzipSync],
      ["br;q=0, GZIP;q=0.5", "gzip", gunzipSync],
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["br;q=1.0, gzip;q=0.5", "br", brotliDecompressSync],
    ] as const) {
      const { headers, bytes } = await fetchAsset({ "accept-encoding": accepted });
      expect(headers).toMatchObject({
        "content-encoding": coding,
        vary: "accept-encoding",
        "content-type": plain.headers["content-type"],
        "cache-control": plain.headers["cache-control"],
      });
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(decompress(bytes).equals(plain.bytes)).toBe(true);
    }
    for (const accepted of ["identity", "br;q=0", "gzip;q=0", "gzip;q=0.0, deflate", "x-gzipped"]) {
      const { headers, bytes } = await fetchAsset({ "accept-encoding": accepted });
      expect(headers).not.toHaveProperty("content-encoding");
      expect(bytes.equals(plain.bytes)).toBe(true);
    }
  });

  test("support conditional and range requests", async () => {
    const { headers, bytes } = await fetchAsset({ "accept-encoding": "br" });
    const etag = String(headers["etag"]);
    const again = await fetchAsset({ "accept-encoding": "br", "if-none-match": etag });
    expect(again).toMatchObject({ statusCode: 304, headers: { etag, vary: "accept-encoding" } });
    expect(again.bytes).toHaveLength(0);
    // The same URL with another content encoding is another representation.
    expect(await fetchAsset({ "if-none-match": etag })).toMatchObject({ statusCode: 200 });

    const part = await fetchAsset({ "accept-encoding": "br", range: "bytes=1000-1999" });
    expect(part).toMatchObject({
      statusCode: 206,
      headers: { "content-range": `bytes 1000-1999/${bytes.length}`, "content-length": "1000" },
    });
    expect(part.bytes.equals(bytes.subarray(1000, 2000))).toBe(true);
    const beyond = await fetchAsset({ "accept-encoding": "br", range: `bytes=${bytes.length}-` });
    expect(beyond).toMatchObject({
      statusCode: 416,
      headers: { "content-range": `bytes */${bytes.length}`, "cache-control": "no-store" },
    });
    expect(beyond.bytes).toHaveLength(0);
  });

  test("return 404 if they do not exist", async () => {
    for (const file of ["graphiql-000000000000.js", "constructor", "..%2f..%2fpackage.json"]) {
      const { status, headers, body } = await get(`/graphql/assets/${file}`);
      const message = "There is nothing at this path.";
      const error = { code: "not_found", message, request_id: headers["x-request-id"] };
      expect({ status, body }).toEqual({ status: 404, body: { success: 0, error } });
      expect(headers["cache-control"]).toBe("no-store");
    }
  });
});

test("the examples match the schema, with and without a data source for the mapping", () => {
  const schema = buildSchema(printSdl());
  for (const { query, variables } of [...exampleOperations(undefined), ...exampleOperations("sales")]) {
    expect(validate(schema, parse(query))).toEqual([]);
    expect(() => JSON.parse(variables)).not.toThrow();
  }
});

describe("a request that a cross-site page can make a browser send", () => {
  test("is rejected: a plain GET, a POST without a content type or with a form's", async () => {
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

test("without the playground, a browser is treated like other clients", async () => {
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

test("without introspection, errors do not reveal the schema either", async () => {
  const { url, close } = await startTestService({ introspection: false });
  try {
    for (const query of ["{ __schema { queryType { name } } }", '{ __type(name: "Viewer") { name } }']) {
      expect(await callGraphql(url, undefined, query)).toMatchObject({
        status: 200,
        body: { errors: [{ extensions: { validationErrorCode: "INTROSPECTION_DISABLED" } }] },
      });
    }
    const typo = "{ viewer { environmnt } }";
    const message = 'Cannot query field "environmnt" on type "Viewer".';
    expect(await callGraphql(url, undefined, typo)).toMatchObject({
      status: 200,
      body: { errors: [{ message }] },
    });
    expect(await callGraphql(service.url, undefined, typo)).toMatchObject({
      status: 200,
      body: { errors: [{ message: `${message} Did you mean "environment"?` }] },
    });
  } finally {
    await close();
  }
});

function get(path: string, headers: Headers = {}, url = service.url) {
  return callRest(`${url}${path}`, "GET", undefined, undefined, headers);
}

function post(headers: Headers) {
  return callRest(`${service.url}/graphql`, "POST", undefined, { query: "{ __typename }" }, headers);
}

/** Fetches the largest asset. */
async function fetchAsset(headers: Readonly<Record<string, string>> = {}) {
  const { body: page } = await fetchText("/graphql", BROWSER_ACCEPT);
  const [path = ""] = /graphql\/assets\/graphiql-\w+\.js/.exec(page) ?? [];
  const reply = await request(`${service.url}/${path}`, { headers });
  return { ...reply, bytes: Buffer.from(await reply.body.arrayBuffer()) };
}

async function fetchText(path: string, accept: string) {
  const { statusCode, headers, body } = await request(`${service.url}${path}`, { headers: { accept } });
  return { status: statusCode, headers, body: await body.text() };
}
