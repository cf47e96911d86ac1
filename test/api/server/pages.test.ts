import { readFile } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildSchema, parse, validate } from "graphql";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { exampleOperations } from "../../../console/pages/examples.js";
import { findInvalidDocument } from "../../../src/graphql/server/persisted-queries.js";
import { readConsoleDocuments } from "../../../src/http/pages/pages.js";
import { builtPages } from "../../support/pages/built-pages.js";
import { startService, type TestService } from "../../support/service/test-service.js";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
/** Of the console's first page, gzipped; the editors are loaded later. */
const MAX_CONSOLE_BYTES = 150_000;

const pagesDirectory = await builtPages();
const previewUrl = "https://app.example.com/preview";
const all = { console: true, docsDirectory: "/nonexistent" };
const service = await startService({ pagesDirectory, ...all });
const corsOrigins = ["https://app.example.com"];
const frameOrigins = ["https://bi.example.com", "http://localhost:3000"];
const framing = await startService({ use: service, pagesDirectory, ...all, frameOrigins, corsOrigins });
const unbuilt = await startService({ use: service, ...all, previewUrl });
const reduced = await startService({ use: service, pagesDirectory, apiDocs: false, playground: false });

async function get({ url }: TestService, path: string, headers: Readonly<Record<string, string>> = BROWSER) {
  const { statusCode, headers: received, body } = await request(url + path, { headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, headers: received, bytes, text: bytes.toString() };
}

/** The paths of the files that a page loads, from its own path. */
function filesOf(html: string, path: string): string[] {
  const base = new URL(/<base href="([^"]+)"/.exec(html)?.[1] ?? "", `http://example.com${path}`);
  const links = html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g);
  return [...links].map(([, href = ""]) => new URL(href, base).pathname);
}

describe.each([
  { path: "/", status: 200, shows: "User groups for embedded dashboards" },
  { path: "/graphql", status: 200, shows: '<div id="root"', styles: "'self' 'unsafe-inline'" },
  { path: "/api/docs", status: 200, shows: '<div id="docs"' },
  { path: "/console/", status: 200, shows: '<div id="root"', frames: " frame-src 'self';" },
  { path: "/nowhere", status: 404, shows: "Page not found", base: "'self'" },
  { path: "/nowhere/else/", status: 404, shows: "Page not found", base: "'self'" },
  { path: "//nowhere", status: 404, shows: "Page not found", base: "'self'" },
])("the page $path", ({ path, status, shows, styles = "'self'", base = "'none'", frames = "" }) => {
  test("loads nothing from other origins, and is neither cached nor framed", async () => {
    const page = await get(service, `${path}?a=b/c`);
    expect(page).toMatchObject({
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
      },
    });
    expect(page.text).toContain(shows);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy.replace(/ 'sha256-[\w+/]{43}='/, "")).toBe(
      `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self' data:; ` +
        `worker-src 'self'; connect-src 'self';${frames} base-uri ${base}; form-action 'none'; frame-ancestors 'none'`,
    );
    // The only inline script is the one that the policy allows by its hash.
    expect(page.text.match(/<script>|<style|https?:|nowhere/g)).toEqual(["<script>"]);
  });

  test("its files are immutable, compressed, and found from its path", async () => {
    const { text } = await get(service, path);
    const files = filesOf(text, path);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css|svg)$/);
      expect(await get(service, file, { "accept-encoding": "br" })).toMatchObject({
        status: 200,
        headers: {
          "content-type": expect.stringMatching(
            /^(?:text\/css|\w+\/javascript|image\/svg\+xml)(?:; charset=utf-8)?$/,
          ),
          "cache-control": "public, max-age=31536000, immutable",
          vary: "accept-encoding",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "x-content-type-options": "nosniff",
          ...(file.endsWith(".svg") ? {} : { "content-encoding": "br" }),
        },
      });
    }
  });
});

test("the preview is framed by the console only, with an opaque origin and no requests", async () => {
  const { status, headers, text } = await get(service, "/console/preview");
  expect(status).toBe(200);
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; worker-src 'self'; " +
      "connect-src 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts; frame-ancestors 'self'",
  );
  expect(text).not.toMatch(/<script>|<style|https?:/);
  for (const file of filesOf(text, "/console/preview"))
    expect((await get(service, file)).headers).toMatchObject({ "access-control-allow-origin": "*" });
});

test("the console's first page is small", async () => {
  let bytes = 0;
  for (const file of filesOf((await get(service, "/console/")).text, "/console/"))
    bytes += (await get(service, file, { "accept-encoding": "gzip" })).bytes.length;
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(MAX_CONSOLE_BYTES);
});

test("files are compressed for clients that accept it, and sent in part or not at all on request", async () => {
  const [file = ""] = filesOf((await get(service, "/console/")).text, "/console/").filter((each) =>
    each.endsWith(".js"),
  );
  const plain = await get(service, file, {});
  for (const [accepted, coding, decompress] of [
    ["gzip", "gzip", gunzipSync],
    ["br;q=0, GZIP;q=0.5", "gzip", gunzipSync],
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ] as const) {
    const { headers, bytes } = await get(service, file, { "accept-encoding": accepted });
    expect(headers).toMatchObject({
      "content-encoding": coding,
      "content-type": plain.headers["content-type"],
    });
    expect(decompress(bytes).equals(plain.bytes)).toBe(true);
  }
  for (const accepted of ["identity", "br;q=0", "gzip;q=0"]) {
    const { headers, bytes } = await get(service, file, { "accept-encoding": accepted });
    expect(headers).not.toHaveProperty("content-encoding");
    expect(bytes.equals(plain.bytes)).toBe(true);
  }
  const etag = String(plain.headers["etag"]);
  expect(await get(service, file, { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
  // The same URL with another content encoding is another representation.
  expect(await get(service, file, { "if-none-match": etag, "accept-encoding": "br" })).toMatchObject({
    status: 200,
  });
  const part = await get(service, file, { range: "bytes=100-199" });
  expect(part).toMatchObject({ status: 206, bytes: plain.bytes.subarray(100, 200) });
});

test.each([
  "/assets/none.js",
  "/assets/constructor",
  "/assets/",
  "/assets/..%2fdocuments.json",
  "/assets/%2e%2e/documents.json",
  "/documents.json",
  "/console/index.html",
])("%s is not found", async (path) => {
  const { status, headers, text } = await get(service, path, {});
  expect({ status, body: JSON.parse(text) }).toMatchObject({
    status: 404,
    body: { error: { code: "not_found" } },
  });
  expect(headers["cache-control"]).toBe("no-store");
});

test.each([
  ["/", "GET", 404],
  ["/nowhere", "GET", 404],
  ["/nowhere", "POST", 404],
] as const)("%s is no page for clients other than browsers (%s)", async (path, method, status) => {
  const accept = method === "GET" ? "*/*" : BROWSER.accept;
  const { statusCode, body } = await request(service.url + path, { method, headers: { accept } });
  expect({ statusCode, body: await body.json() }).toMatchObject({
    statusCode: status,
    body: { success: 0, error: { code: "not_found" } },
  });
});

test.each(["/console", "/docs"])("%s redirects relatively, for services below a path", async (path) => {
  const { status, headers } = await get(service, path);
  expect({ status, location: headers["location"] }).toEqual({ status: 302, location: `${path.slice(1)}/` });
});

test("a service without built pages says what to do", async () => {
  for (const path of [
    "/",
    "/graphql",
    "/api/docs",
    "/console/",
    "/console/preview",
    "/docs/",
    "/docs/settings",
  ]) {
    const { status, headers, text } = await get(unbuilt, path);
    expect({ path, status, type: headers["content-type"] }).toEqual({
      path,
      status: 503,
      type: "text/plain; charset=utf-8",
    });
    expect(text).toContain(path.startsWith("/docs") ? "Run `npm run docs:build`" : "Run `npm run build`");
  }
  expect((await get(unbuilt, "/assets/index.js")).status).toBe(404);
});

test("only the console may show dashboard tools in frames, those of the configured origins", async () => {
  const policies = ["/console/", "/console/preview", "/", "/graphql"].map(async (path) =>
    String((await get(framing, path)).headers["content-security-policy"]).match(/frame-src [^;]*/),
  );
  expect((await Promise.all(policies)).map((found) => found?.[0])).toEqual([
    "frame-src 'self' https://bi.example.com http://localhost:3000",
    undefined,
    undefined,
    undefined,
  ]);
  expect(JSON.parse((await get(framing, "/pages.json")).text)).toEqual({
    disabled: [],
    frame_origins: frameOrigins,
  });
});

test("the console may ask whether pages of an origin may call the API", async () => {
  const ask = async (origin: string) =>
    JSON.parse((await get(framing, `/pages.json?origin=${encodeURIComponent(origin)}`)).text)
      .is_allowed_origin;
  expect(await ask("https://app.example.com")).toBe(true);
  expect(await ask("https://other.example.com")).toBe(false);
  expect(await ask("")).toBe(false);
});

test("pages that are turned off are neither served nor listed; documents remain", async () => {
  expect(JSON.parse((await get(service, "/pages.json")).text)).toEqual({ disabled: [] });
  expect(JSON.parse((await get(unbuilt, "/pages.json")).text)).toMatchObject({ preview_url: previewUrl });
  expect(JSON.parse((await get(reduced, "/pages.json")).text)).toEqual({
    disabled: ["console", "playground", "api-docs", "docs"],
  });
  for (const path of ["/console", "/console/", "/console/preview", "/api/docs", "/docs/"])
    expect((await get(reduced, path)).status, path).toBe(404);
  expect((await get(reduced, "/graphql")).status).toBe(400);
  expect((await get(reduced, "/openapi.json")).status).toBe(200);
});

test("the documents of the console and the playground's examples match the schema", async () => {
  const schema = buildSchema(await readFile(new URL("../../../schema.graphql", import.meta.url), "utf8"));
  const documents = await readConsoleDocuments(await builtPages());
  expect([...documents.values()].join("\n")).toMatch(/mutation RevokeKey[\s\S]*fragment ApiKeyParts/);
  expect(findInvalidDocument(documents, schema)).toBeUndefined();
  expect(await readConsoleDocuments("/nonexistent")).toEqual(new Map());
  for (const { query, variables } of [...exampleOperations(undefined), ...exampleOperations("sales")]) {
    expect(validate(schema, parse(query))).toEqual([]);
    expect(() => JSON.parse(variables)).not.toThrow();
  }
});
