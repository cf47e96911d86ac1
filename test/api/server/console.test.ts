import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSchema } from "graphql";
import { request } from "undici";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findInvalidDocument } from "../../../src/graphql/server/persisted-queries.js";
import { readBuiltPage } from "../../../src/http/pages/built-page.js";
import { readConsoleDocuments } from "../../../src/http/pages/console-documents.js";
import { builtConsole } from "../../support/pages/built-console.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const KEY = "a demo key";
/** Of the first page, gzipped; the editors are loaded later. */
const MAX_BYTES = 150_000;

let service: TestService;
let unbuilt: TestService;
let off: TestService;
let empty = "";
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), "ug-console-"));
  service = await startTestService({ consoleDirectory: await builtConsole(), demoKey: () => KEY });
  const { target, owner } = service;
  unbuilt = await startTestService({ use: { target, owner }, consoleDirectory: empty });
  off = await startTestService({ use: { target, owner } });
});
afterAll(async () => {
  await Promise.all([unbuilt.close(), off.close()]);
  await service.close();
  await rm(empty, { recursive: true });
});

test("the page loads nothing from other origins, and is neither cached nor framed", async () => {
  const { status, headers, text } = await get(service, "/console/");
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
  expect(text).not.toMatch(/<script(?![^>]* src="\.\/assets\/)|<style|https?:/);
});

test("without a trailing slash the path redirects relatively, for services below a path", async () => {
  const { status, headers } = await get(service, "/console");
  expect({ status, location: headers["location"] }).toEqual({ status: 302, location: "console/" });
});

test("its files are immutable, compressed and small", async () => {
  const { text } = await get(service, "/console/");
  let bytes = 0;
  const paths = [...text.matchAll(/\.(\/assets\/[\w.-]+)"/g)].map(([, path]) => `/console${path}`);
  expect(paths.map((path) => path.replace(/^.*\./, ""))).toEqual(["js", "css"]);
  for (const path of paths) {
    const plain = await get(service, path);
    expect(plain.headers).toMatchObject({
      "content-type": expect.stringMatching(/^text\/(?:javascript|css); charset=utf-8$/),
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    });
    expect(plain.text).not.toContain(KEY);
    const zipped = await get(service, path, { "accept-encoding": "gzip" });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    bytes += Number(zipped.headers["content-length"]);
    const brotli = await get(service, path, { "accept-encoding": "gzip, br" });
    expect(brotli.headers["content-encoding"]).toBe("br");
  }
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(MAX_BYTES);
});

test.each([
  "/console/assets/none.js",
  "/console/assets/..%2findex.html",
  "/console/index.html",
  "/console/x",
])("returns 404 for %s", async (path) => {
  expect((await get(service, path)).status).toBe(404);
});

test("the page contains the demo key for local requests only", async () => {
  expect((await get(service, "/console/")).text).toContain(
    `<div id="root" data-demo-key="${KEY}" data-disabled="docs"></div>`,
  );
  const { text } = await get(service, "/console/", { "x-forwarded-for": "203.0.113.9" });
  expect(text).toContain('<div id="root" data-disabled="docs"></div>');
});

test("a service without the built console says what to do", async () => {
  const { status, headers, text } = await get(unbuilt, "/console/");
  expect(status).toBe(503);
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(text).toContain("Run `npm run build`");
  expect((await get(unbuilt, "/console/assets/index.js")).status).toBe(404);
});

test("serves a build once it is complete", async () => {
  const built = await mkdtemp(join(tmpdir(), "ug-console-"));
  onTestFinished(() => rm(built, { recursive: true }));
  await cp(await builtConsole(), built, { recursive: true });
  await rm(join(built, ".sources"));
  expect(await readBuiltPage(built)).toBeUndefined();
  await writeFile(join(built, ".sources"), "");
  expect(await readBuiltPage(built)).toBeDefined();
});

test("its documents are listed for services that run only trusted ones", async () => {
  const documents = await readConsoleDocuments(await builtConsole());
  const schema = await readFile(new URL("../../../schema.graphql", import.meta.url), "utf8");
  expect([...documents.values()].join("\n")).toMatch(/mutation RevokeKey[\s\S]*fragment ApiKeyParts/);
  expect(findInvalidDocument(documents, buildSchema(schema))).toBeUndefined();
  expect(await readConsoleDocuments(empty)).toEqual(new Map());
});

test("returns 404 when turned off", async () => {
  expect((await get(off, "/console")).status).toBe(404);
  expect((await get(off, "/console/")).status).toBe(404);
});

async function get({ url }: TestService, path: string, headers: Readonly<Record<string, string>> = {}) {
  const reply = await request(url + path, { headers });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}
