import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
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
