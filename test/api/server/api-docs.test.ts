import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtPages } from "../../support/pages/built-pages.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const PATH = "/api/docs";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ pagesDirectory: await builtPages() });
});
afterAll(() => service.close());

async function fetchText(path: string, url = service.url) {
  const reply = await request(`${url}${path}`);
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}

describe("the page", () => {
  test("can load only same-origin files", async () => {
    const { status, headers, text } = await fetchText(PATH);
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      },
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toMatch(/\*|https?:|unsafe/);
    expect(text).not.toMatch(/https?:|<style|<script>/);
  });

  test("has immutable files", async () => {
    const { text } = await fetchText(PATH);
    const files = [...text.matchAll(/(?:src|href)="docs(\/assets\/[^"]+)"/g)].map(
      ([, file]) => `${PATH}${file}`,
    );
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(await fetchText(file)).toMatchObject({
        status: 200,
        headers: {
          "content-type": `text/${file.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`,
          "cache-control": "public, max-age=31536000, immutable",
        },
      });
    }
    expect((await fetchText(`${PATH}/assets/start-000000000000.js`)).status).toBe(404);
  });

  test("can be turned off; the document remains available", async () => {
    const { url, close } = await startTestService({ apiDocs: false });
    try {
      for (const path of [PATH, `${PATH}/assets/x.js`]) expect((await fetchText(path, url)).status).toBe(404);
      expect((await fetchText("/openapi.json", url)).status).toBe(200);
    } finally {
      await close();
    }
  });
});
