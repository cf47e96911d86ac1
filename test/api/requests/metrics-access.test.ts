import { request } from "undici";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/config/config.js";
import { allowedOrigins, metricsAccess } from "../../../src/config/local-access.js";
import { createBareServer } from "../../../src/http/server/http-server.js";
import { registerMetricsRoute } from "../../../src/http/server/service-routes.js";
import { callRest } from "../../support/rest/rest-client.js";
import { METRICS_TOKEN as TOKEN } from "../../support/service/metric-samples.js";
import { type RunningApp, startRunningApp } from "../../support/service/running-app.js";
import { startTestService } from "../../support/service/test-service.js";

let guarded: RunningApp;
let end: () => Promise<void>;
beforeAll(async () => {
  guarded = await startRunningApp({ RATE_LIMIT: "5" }, (close) => {
    end = close;
  });
});
afterAll(() => end());

const refusal = expect.stringMatching(
  /^\{"success":0,"error":\{"code":"forbidden","message":"Without METRICS_TOKEN/,
);

const ask = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  request(`${url}/metrics`, { headers });

test("with a token, only its bearer can read them", async () => {
  const allowed = await ask(guarded.url, { authorization: `bearer ${TOKEN}` });
  expect(allowed.statusCode).toBe(200);
  expect(allowed.headers).toMatchObject({
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
    "cache-control": "no-store",
  });
  const wrong = [TOKEN.slice(1), `${TOKEN}x`, "", guarded.key].map((token) => ({
    authorization: `Bearer ${token}`,
  }));
  for (const headers of [...wrong, {}, { authorization: TOKEN }, { authorization: `Token ${TOKEN}` }]) {
    const start = JSON.stringify(headers).includes(guarded.key)
      ? "This is an API key."
      : "The Authorization header is ";
    const reply = await callRest(`${guarded.url}/metrics`, "GET", undefined, undefined, headers);
    expect(reply).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="user-groups"' },
      body: {
        success: 0,
        error: {
          code: "unauthenticated",
          message: expect.toSatisfy(
            (message: string) =>
              message.startsWith(start) && message.includes("Send `Authorization: Bearer <METRICS_TOKEN>`"),
          ),
          request_id: expect.any(String),
        },
      },
    });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
  }
});

/** Requests metrics from this machine under the given settings. @returns the status and the body */
async function askLocal(settings: Readonly<Record<string, string>>, headers = {}) {
  const { app } = createBareServer({
    log: { level: "silent", stream: process.stderr, successesPerSecond: 0 },
  });
  const reader = { contentType: "text/plain", metrics: async () => "metrics" };
  registerMetricsRoute(app, reader, metricsAccess(readConfig(settings)));
  const { statusCode, body } = await app.inject({ url: "/metrics", headers });
  return [statusCode, body] as const;
}

test("without a token, only local requests can read them, not proxied ones or those for another host name", async () => {
  expect(await askLocal({})).toEqual([200, "metrics"]);
  expect(await askLocal({ HOST: "::1" })).toEqual([200, "metrics"]);
  const foreign = [
    { "x-forwarded-for": "192.0.2.1" },
    { forwarded: "for=192.0.2.1" },
    { via: "1.1 proxy" },
    { host: "rebound.example" },
    { origin: "https://page.example" },
  ];
  for (const headers of foreign) expect(await askLocal({}, headers)).toMatchObject([403, refusal]);
});

test.each([
  { HOST: "0.0.0.0" },
  { TRUSTED_PROXIES: "127.0.0.1" },
  { DATABASE_URL: "postgres://service@127.0.0.1/groups" },
])(
  "without a token nobody can read them with %o, and pages of this machine may not call the API, since a local proxy might not identify itself",
  async (settings) => {
    expect(await askLocal(settings)).toMatchObject([403, refusal]);
    expect(allowedOrigins(readConfig(settings))).toEqual([]);
    const METRICS_TOKEN = TOKEN;
    expect(await askLocal({ ...settings, METRICS_TOKEN }, { authorization: `Bearer ${TOKEN}` })).toEqual([
      200,
      "metrics",
    ]);
  },
);

test("other methods are rejected", async () => {
  expect(await callRest(`${guarded.url}/metrics`, "DELETE", undefined)).toMatchObject({
    status: 405,
    headers: { allow: "GET" },
    body: { success: 0, error: { code: "method_not_allowed" } },
  });
});

test("reading them costs nothing and logs only rejections", async () => {
  const ours = { "x-request-id": "reads-of-metrics" };
  for (let count = 0; count < 8; count += 1) {
    const reply = await ask(guarded.url, { ...ours, authorization: `Bearer ${TOKEN}` });
    expect(reply.statusCode).toBe(200);
    expect((await request(`${guarded.url}/livez`, { headers: ours })).statusCode).toBe(200);
  }
  await ask(guarded.url, ours);
  // Requests of other tests may still be logged meanwhile.
  const logged = () => guarded.log.filter(({ requestId }) => requestId === ours["x-request-id"]);
  await expect.poll(logged).toMatchObject([{ path: "/metrics", status: 401, code: "unauthenticated" }]);
});

test.each([
  { trustedProxies: [], warnings: [expect.objectContaining({ level: 40, address: "127.0.0.1" })] },
  { trustedProxies: ["127.0.0.1"], warnings: [] },
])(
  "a proxy header is logged once if no proxy is trusted: $trustedProxies",
  async ({ trustedProxies, warnings }) => {
    const service = await startTestService({ trustedProxies });
    onTestFinished(() => service.close());
    const logged = () => service.log.filter((line) => line.includes("TRUSTED_PROXIES is empty"));
    await request(`${service.url}/livez`);
    expect(logged()).toEqual([]);
    for (const headers of [{ "x-forwarded-for": "192.0.2.1" }, { forwarded: "for=192.0.2.2" }])
      await request(`${service.url}/livez`, { headers });
    expect(logged().map((line) => JSON.parse(line))).toEqual(warnings);
  },
);
