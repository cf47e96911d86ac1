import { request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callRest } from "./support/rest-client.js";
import { type RunningApp, startRunningApp } from "./support/running-app.js";

const TOKEN = "a-token-for-the-metrics-of-tests";

let guarded: RunningApp;
let open: RunningApp;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const until = (end: () => Promise<void>) => void ends.push(end);
  guarded = await startRunningApp({ METRICS_TOKEN: TOKEN, RATE_LIMIT: "5" }, until);
  open = await startRunningApp({}, until);
});
afterAll(() => Promise.all(ends.map((end) => end())));

const ask = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  request(`${url}/metrics`, { headers });

test("with a token, only its bearer reads them", async () => {
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
    const reply = await callRest(`${guarded.url}/metrics`, "GET", undefined, undefined, headers);
    expect(reply).toMatchObject({
      status: 401,
      body: { success: 0, error: { code: "unauthenticated", request_id: expect.any(String) } },
    });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
  }
});

test("without a token, only who is at this machine reads them, and not through a proxy or a foreign name", async () => {
  expect((await ask(open.url)).statusCode).toBe(200);
  const foreign = [
    { "x-forwarded-for": "192.0.2.1" },
    { forwarded: "for=192.0.2.1" },
    { via: "1.1 proxy" },
    { host: "rebound.example" },
    { origin: "https://page.example" },
  ];
  for (const headers of foreign) {
    expect(await callRest(`${open.url}/metrics`, "GET", undefined, undefined, headers)).toMatchObject({
      status: 403,
      body: { success: 0, error: { code: "forbidden" } },
    });
  }
});

test("other methods are refused", async () => {
  expect(await callRest(`${open.url}/metrics`, "DELETE", undefined)).toMatchObject({
    status: 405,
    headers: { allow: "GET" },
    body: { success: 0, error: { code: "method_not_allowed" } },
  });
});

test("to read them costs no points, and writes no line but for refusals", async () => {
  const before = guarded.log.length;
  for (let count = 0; count < 8; count += 1) {
    expect((await ask(guarded.url, { authorization: `Bearer ${TOKEN}` })).statusCode).toBe(200);
    expect((await request(`${guarded.url}/livez`)).statusCode).toBe(200);
  }
  await ask(guarded.url);
  await expect.poll(() => guarded.log.length).toBe(before + 1);
  expect(guarded.log.at(-1)).toMatchObject({ path: "/metrics", status: 401, code: "unauthenticated" });
});
