import { connect } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDemoAccount } from "../../../src/services/data-sources/demo-account.js";
import { builtPages } from "../../support/pages/built-pages.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const ACCEPT = "text/html,application/xhtml+xml,*/*;q=0.8";

let service: TestService;
let demoKey: string | undefined;
let customerKey = "";
beforeAll(async () => {
  service = await startTestService({
    pagesDirectory: await builtPages(),
    corsOrigins: "*",
    demoKey: () => demoKey,
  });
  const demo = await createDemoAccount(service.services.accounts, service.services.dataSources);
  customerKey = demo?.customerKey ?? "";
});
afterAll(() => service.close());
beforeEach(() => {
  demoKey = customerKey;
});

describe("the demo key", () => {
  test("is in the page for local requests, which is not cacheable", async () => {
    const { port } = new URL(service.url);
    for (const host of ["127.0.0.1", "localhost", "LocalHost", "[::1]"]) {
      const { headers, text } = await fetchPage({ host: `${host}:${port}` });
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": "text/html; charset=utf-8",
      });
      expect(text).toContain(`<div id="root" data-demo-key="${customerKey}"></div>`);
    }
    expect((await fetchPage({ host: "localhost" })).text).toContain(customerKey);
  });

  test.each([
    ["another host name that resolves here", { host: "rebound.example:4000" }],
    ["a host name with our prefix", { host: "localhost.example" }],
    ["a host name with our suffix", { host: "evil-localhost" }],
    ["another address", { host: "192.168.0.7:4000" }],
    ["the page of another origin", { origin: "https://shop.example" }],
    ["a sandboxed page", { origin: "null" }],
    ["a proxy that names the client", { "x-forwarded-for": "203.0.113.9" }],
    ["a proxy that names the host", { "x-forwarded-host": "demo.example" }],
    ["a proxy that names the protocol", { "x-forwarded-proto": "https" }],
    ["a proxy that follows the standard", { forwarded: "for=203.0.113.9" }],
    ["a proxy that names itself", { via: "1.1 proxy" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a page of another port", { "sec-fetch-site": "same-site" }],
  ])("is not in the page for a request from %s", async (_case, headers) => {
    const { status, text } = await fetchPage(headers);
    expect(status).toBe(200);
    expect(text).toContain('<div id="root"></div>');
    expect(text).not.toContain("ugk_");
  });

  test.each([
    "CF-Connecting-IP",
    "True-Client-IP",
    "X-Client-IP",
    "X-Real-IP",
    "X-Cluster-Client-IP",
    "Fly-Client-IP",
    "Fastly-Client-IP",
    "X-Envoy-External-Address",
    "X-Amzn-Trace-Id",
    "X-Azure-ClientIP",
    "X-Original-Host",
    "CDN-Loop",
  ])("is not in the page for a request with the proxy header %s", async (name) => {
    expect((await fetchPage({ [name]: "203.0.113.9" })).text).not.toContain("ugk_");
  });

  test("is not in the page for a request without a Host", async () => {
    const text = await fetchRaw(`GET /graphql HTTP/1.0\r\nAccept: ${ACCEPT}\r\n\r\n`);
    expect(text).toContain('<div id="root"></div>');
    expect(text).not.toContain("ugk_");
  });

  test("is not in the page for a proxy's request target", async () => {
    const { host } = new URL(service.url);
    const head = `Host: ${host}\r\nAccept: ${ACCEPT}\r\nConnection: close\r\n\r\n`;
    expect(await fetchRaw(`GET /graphql HTTP/1.1\r\n${head}`)).toContain(customerKey);
    const text = await fetchRaw(`GET http://evil.example/graphql HTTP/1.1\r\n${head}`);
    expect(text).not.toContain("ugk_");
  });

  test("is in a page that other origins can neither embed nor reach", async () => {
    for (const site of ["none", "same-origin"]) {
      const { headers, text } = await fetchPage({ "sec-fetch-site": site });
      expect(text).toContain(customerKey);
      expect(headers).toMatchObject({
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
      });
    }
  });

  test("is in no asset and no log, and not in the page of a service without one", async () => {
    const { text } = await fetchPage();
    for (const [path] of text.matchAll(/graphql\/assets\/[\w.-]+/g)) {
      const asset = await request(`${service.url}/${path}`);
      expect(await asset.body.text()).not.toContain(customerKey);
    }
    expect(service.log.join("")).not.toContain("ugk_");
    demoKey = undefined;
    expect((await fetchPage()).text).toContain('<div id="root"></div>');
  });

  test("is escaped in the page", async () => {
    demoKey = `"><script>alert(1)</script>&amp;`;
    expect((await fetchPage()).text).toContain(
      '<div id="root" data-demo-key="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;"></div>',
    );
  });
});

async function fetchPage(headers: Readonly<Record<string, string>> = {}) {
  const reply = await request(`${service.url}/graphql`, { headers: { accept: ACCEPT, ...headers } });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}

async function fetchRaw(head: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  let text = "";
  const socket = connect(Number(port), hostname, () => socket.write(head));
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  return text;
}
