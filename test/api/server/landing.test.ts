import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtPages } from "../../support/pages/built-pages.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

let service: TestService;
let reduced: TestService;
beforeAll(async () => {
  const pagesDirectory = await builtPages();
  service = await startTestService({
    pagesDirectory,
    consoleDirectory: "/nonexistent",
    docsDirectory: "/none",
  });
  const { target, owner } = service;
  reduced = await startTestService({ use: { target, owner }, pagesDirectory, playground: false });
});
afterAll(async () => {
  await reduced.close();
  await service.close();
});

async function get(url: string, accept = "text/html") {
  const reply = await request(url, { headers: { accept } });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}

test("the start page links every page to browsers, and loads only its own files", async () => {
  const { status, headers, text } = await get(`${service.url}/`);
  expect({ status, type: headers["content-type"] }).toEqual({
    status: 200,
    type: "text/html; charset=utf-8",
  });
  expect(headers["content-security-policy"]).toContain(
    "default-src 'none'; script-src 'self'; style-src 'self'",
  );
  for (const href of ["console/", "graphql", "api/docs"]) expect(text).toContain(`href="./${href}"`);
  expect(text).not.toMatch(/https?:|<style|<script>| hidden/);
  const files = [...text.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file]) => file);
  expect(files).toHaveLength(2);
  for (const file of files) expect((await get(`${service.url}/${file}`)).status).toBe(200);
});

test("other clients get no page", async () => {
  expect((await get(`${service.url}/`, "*/*")).status).toBe(404);
});

test("pages do not link pages that are disabled", async () => {
  for (const path of ["/", "/api/docs"]) {
    const { text } = await get(`${reduced.url}${path}`);
    expect(text).toContain('data-page="playground" hidden');
    expect(text).toContain('data-page="console" hidden');
    expect(text).not.toContain('data-page="api-docs" hidden');
  }
});

describe("an unknown path", () => {
  test.each(["/nowhere", "/nowhere/else/", "//nowhere"])("%s is a page for browsers", async (path) => {
    const { status, headers, text } = await get(`${reduced.url}${path}?a=b/c`);
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 404,
      type: "text/html; charset=utf-8",
    });
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
    expect(text).toContain("<h1>Page not found</h1>");
    expect(text).toContain('data-page="console" hidden');
    expect(text).not.toMatch(/https?:|<style|<script>|nowhere/);
    const links = [...text.matchAll(/(?:src|href)="([^":]+)"/g)].map(
      ([, href = ""]) => new URL(href, `http://example.com${path}`).pathname,
    );
    expect(links).toEqual(expect.arrayContaining(["/", "/api/docs"]));
    const files = links.filter((link) => link.startsWith("/assets/"));
    expect(files).toHaveLength(2);
    for (const file of files) expect((await get(`${reduced.url}${file}`)).status).toBe(200);
  });

  test.each([
    ["other clients", "/nowhere", { accept: "*/*" }],
    ["other methods", "/nowhere", { method: "POST" as const, accept: "text/html" }],
    ["very deep paths", "/a".repeat(1000), { accept: "text/html" }],
  ])(
    "is JSON for %s",
    async (_, path, { accept, method = "GET" }: { accept: string; method?: "GET" | "POST" }) => {
      const { statusCode, headers, body } = await request(`${service.url}${path}`, {
        method,
        headers: { accept },
      });
      expect({ statusCode, type: headers["content-type"] }).toEqual({
        statusCode: 404,
        type: "application/json; charset=utf-8",
      });
      expect(await body.json()).toMatchObject({ success: 0, error: { code: "not_found" } });
    },
  );
});
