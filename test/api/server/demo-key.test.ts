import { connect } from "node:net";
import { request } from "undici";
import { beforeEach, describe, expect, test } from "vitest";
import { startService } from "../../support/service/test-service.js";

const KEY = 'ugk_live_a "demo" </key>';
const DATA = { disabled: ["console", "docs"] };
const WITH_KEY = { ...DATA, demo: { apiKey: KEY, dataSource: "demo-sales" } };

let demoKey: string | undefined;
const service = await startService({ corsOrigins: "*", demoKey: () => demoKey });
beforeEach(() => {
  demoKey = KEY;
});

describe("the demo key", () => {
  test.each(["127.0.0.1:4000", "localhost:4000", "LocalHost", "[::1]:4000"])(
    "is in the pages' data for local requests to %s, uncached and closed to other origins",
    async (host) => {
      const { headers, body } = await fetchData({ host });
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
      expect(body).toEqual(WITH_KEY);
    },
  );

  test.each(["none", "same-origin"])("is there for a fetch from site %s", async (site) => {
    expect((await fetchData({ "sec-fetch-site": site })).body).toEqual(WITH_KEY);
  });

  test.each([
    ["another host name that resolves here", { host: "rebound.example:4000" }],
    ["a host name with our prefix", { host: "localhost.example" }],
    ["a host name with our suffix", { host: "evil-localhost" }],
    ["another address", { host: "192.168.0.7:4000" }],
    ["the page of another origin", { origin: "https://shop.example" }],
    ["a sandboxed page", { origin: "null" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
    ["a page of another port", { "sec-fetch-site": "same-site" }],
  ])("is not there for a request from %s", async (_case, headers) => {
    expect((await fetchData(headers)).body).toEqual(DATA);
  });

  test.each([
    ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "CDN-Loop"],
    ...["CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "X-Real-IP", "X-Cluster-Client-IP"],
    ...["Fly-Client-IP", "Fastly-Client-IP", "X-Envoy-External-Address", "X-Amzn-Trace-Id"],
    ...["X-Azure-ClientIP", "X-Original-Host"],
  ])("is not there for a request from a proxy with the header %s", async (name) => {
    expect((await fetchData({ [name]: "203.0.113.9" })).body).toEqual(DATA);
  });

  test("is not there for a proxy's request target, or a request without a Host", async () => {
    const head = `Host: ${new URL(service.url).host}\r\nConnection: close\r\n\r\n`;
    expect(await fetchRaw(`GET /pages.json HTTP/1.1\r\n${head}`)).toContain(JSON.stringify(KEY));
    expect(await fetchRaw(`GET http://evil.example/pages.json HTTP/1.1\r\n${head}`)).not.toContain("ugk_");
    expect(await fetchRaw("GET /pages.json HTTP/1.0\r\n\r\n")).not.toContain("ugk_");
  });

  test("is not in the log, and not there in a service without one", async () => {
    demoKey = undefined;
    expect((await fetchData()).body).toEqual(DATA);
    expect(service.log.join("")).not.toContain("ugk_");
  });
});

async function fetchData(headers: Readonly<Record<string, string>> = {}) {
  const reply = await request(`${service.url}/pages.json`, { headers });
  return { headers: reply.headers, body: await reply.body.json() };
}

async function fetchRaw(head: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  let text = "";
  const socket = connect(Number(port), hostname, () => socket.write(head));
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  return text;
}
