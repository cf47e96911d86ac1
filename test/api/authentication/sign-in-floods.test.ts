import { setTimeout } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { ROLES_VALID_MS } from "../../../src/services/authentication/console-sessions.js";
import { IdentityProvider } from "../../../src/services/authentication/identity-provider.js";
import { olderSession, startIdentityProvider } from "../../support/programs/identity-provider.js";
import { CookieBrowser } from "../../support/rest/cookie-browser.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";

const SESSION = "user_groups_session";
const SIGN_IN = "user_groups_sign_in";
const VICTIM = "192.0.2.1";
const VISITS = 2;
/** Between two requests of an attacker: the floods occupy the provider, not the processor that all of this shares. */
const PAUSE_MS = 50;

const idp = await startIdentityProvider();
afterAll(() => idp.close());
const ISSUER = encodeURIComponent(idp.url);
const identityProvider = idp.options([
  { claim: "groups", value: "support", account: "demo", scope: "embed" },
]);
const service = await startService({
  console: true,
  identityProvider,
  trustedProxies: ["127.0.0.1"],
  // A flood that is refused at this limit would not reach what these tests are about.
  rateLimits: { maxAuthFailures: 0 },
});
const { url, services } = service;
idp.serve(url);
await services.accounts.ensure("demo");
beforeEach(() => {
  Object.assign(idp, { visitor: "ada", isDown: false, delayMs: 0 });
  idp.people.set("ada", { groups: ["support"] });
});

let tests = 0;
/** Returns addresses that have no failures yet. */
function otherAddresses(count: number): string[] {
  tests += 1;
  return Array.from({ length: count }, (_, index) => `198.51.${tests}.${index}`);
}
/** What each browser sends to the callback again and again, with the state of a sign-in of its own. */
const ATTACKS = {
  "errors of the provider": (state: string) => `error=server_error&state=${state}&iss=${ISSUER}`,
  "wrong states": () => `code=x&state=x&iss=${ISSUER}`,
  "no codes": (state: string) => `state=${state}`,
  "unknown codes": (state: string) => `code=x&state=${state}&iss=${ISSUER}`,
};

describe.each(Object.entries(ATTACKS))("a flood of %s", (_name, query) => {
  test.each([
    ["40 connections of one address", 1, 40],
    ["40 addresses", 40, 40],
  ])("of %s stops nobody else's sign-in or refresh", async (_from, addresses, connections) => {
    const stop = await flood(query, otherAddresses(addresses), connections);
    const browser = new CookieBrowser({ "x-forwarded-for": VICTIM });
    for (let visit = 0; visit < VISITS; visit += 1) {
      expect(await browser.signIn(url)).toBe(`${url}/console/#/`);
      expect(await refresh(browser, VICTIM)).toBe(200);
    }
    const refused = await stop();
    expect(refused).toBeGreaterThan(connections);
  });

  test("of the same address stops no refresh", async () => {
    const browser = new CookieBrowser({ "x-forwarded-for": VICTIM });
    await browser.signIn(url);
    const stop = await flood(query, [VICTIM], 40);
    for (let visit = 0; visit < VISITS; visit += 1) expect(await refresh(browser, VICTIM)).toBe(200);
    await stop();
  });
});

test("only codes reach the provider, and errors of the provider's page count as failed authentications", async () => {
  // The provider's metadata is read with the first sign-in.
  await begin(new CookieBrowser());
  const failures = await failureCount();
  const requests = idp.requests.length;
  for (const query of Object.values(ATTACKS)) {
    const browser = new CookieBrowser({ "x-forwarded-for": "203.0.113.1" });
    const state = await begin(browser);
    expect(await browser.open(`${url}/console/sign-in/callback?${query(state)}`)).toContain(
      "sign-in=unauthenticated",
    );
  }
  expect(await failureCount()).toBe(failures + Object.keys(ATTACKS).length);
  expect(idp.requests.slice(requests)).toEqual(["POST /token"]);
});

describe("the provider's metadata", () => {
  test("is read once for all who wait, and stays when the provider fails", async () => {
    const provider = new IdentityProvider(identityProvider);
    const start = () => provider.start(`${url}/console/sign-in/callback`, false);
    idp.delayMs = 50;
    const requests = idp.requests.length;
    const [started] = await Promise.all(Array.from({ length: 100 }, start));
    expect(idp.requests.slice(requests)).toEqual(["GET /.well-known/openid-configuration"]);
    idp.isDown = true;
    if (!started) throw new Error("No sign-in was started.");
    const { pending } = started;
    const query = new URLSearchParams({ code: "x", state: pending.state, iss: idp.url });
    await expect(provider.finish(VICTIM, pending, query)).rejects.toMatchObject({ code: "unavailable" });
    expect((await start()).url.href).toContain(idp.url);
    // It was read again, in vain.
    await expect
      .poll(() => idp.requests.slice(requests + 1))
      .toContain("GET /.well-known/openid-configuration");
    expect((await start()).url.href).toContain(idp.url);
    idp.isDown = false;
    await expect(provider.finish(VICTIM, pending, query)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("is missing while it was never read", async () => {
    const provider = new IdentityProvider(identityProvider);
    idp.isDown = true;
    await expect(provider.start(url, false)).rejects.toMatchObject({ code: "unavailable" });
    idp.isDown = false;
    expect((await provider.start(url, false)).url.href).toContain(idp.url);
  });
});

test("an address has five codes in progress at once, and a person five refreshes", async () => {
  const provider = new IdentityProvider(identityProvider);
  const { pending } = await provider.start(`${url}/console/sign-in/callback`, false);
  idp.delayMs = 200;
  const { "unknown codes": unknownCode, ...others } = ATTACKS;
  const send = (address: string, query: string) =>
    codeOf(provider.finish(address, pending, new URLSearchParams(query)));
  const finish = (address: string) => send(address, unknownCode(pending.state));
  const withoutCode = (address: string) =>
    Object.values(others).flatMap((query) => times(2, () => send(address, query(pending.state))));
  const refreshRoles = (id: string) => codeOf(provider.refresh(id, "x"));
  const [five, six] = [Array(5).fill("unauthenticated"), Array(6).fill("unauthenticated")];
  const rows: readonly (readonly [calls: readonly Promise<unknown>[], outcomes: readonly unknown[]])[] = [
    // Refused at once: they take no place of a code, and need none.
    [withoutCode(VICTIM), six],
    [times(5, () => finish(VICTIM)), five],
    [withoutCode(VICTIM), six],
    [[finish(VICTIM)], ["unavailable"]],
    [times(5, () => finish("2001:db8::1")), five],
    // The same /64 network.
    [[finish("2001:db8::2")], ["unavailable"]],
    [times(5, () => finish("2001:db8:0:1::1")), five],
    // Even a person who has the name of an address.
    ...["ada", "eve", VICTIM].map(
      (id) => [times(6, () => refreshRoles(id)), [...five, "unavailable"]] as const,
    ),
    [times(5, () => finish("192.0.2.2")), five],
    [[codeOf(provider.signOut("192.0.2.2", "x", url))], ["ok"]],
  ];
  const outcomes = await Promise.all(rows.map(([calls]) => Promise.all(calls)));
  expect(outcomes).toEqual(rows.map(([, expected]) => expected));
});

/** Starts a flood. @returns a function that ends it and returns how many of its requests were refused */
async function flood(query: (state: string) => string, addresses: readonly string[], connections: number) {
  idp.delayMs = 100;
  let isOver = false;
  let refused = 0;
  const attack = async (index: number) => {
    const headers = { "x-forwarded-for": addresses[index % addresses.length] };
    const browser = new CookieBrowser({ "x-forwarded-for": String(headers["x-forwarded-for"]) });
    const state = await begin(browser);
    const cookie = `${SIGN_IN}=${browser.get(url, SIGN_IN)}`;
    while (!isOver) {
      const path = `/console/sign-in/callback?${query(state)}`;
      const reply = await callRest(url + path, "GET", undefined, undefined, { ...headers, cookie });
      await setTimeout(PAUSE_MS);
      if (String(reply.headers["location"]).includes("sign-in=")) refused += 1;
    }
  };
  const attackers = Array.from({ length: connections }, (_, index) => attack(index));
  await expect.poll(() => refused).toBeGreaterThan(connections);
  return async () => {
    isOver = true;
    await Promise.all(attackers);
    return refused;
  };
}

/** Begins a sign-in. @returns its state */
async function begin(browser: CookieBrowser): Promise<string> {
  const place = await browser.signIn(url, "", idp.url);
  return new URL(place).searchParams.get("state") ?? "";
}

/** Reads the roles of a browser's session again, as if 15 minutes had passed. @returns the status */
async function refresh(browser: CookieBrowser, address: string): Promise<number> {
  const token = browser.get(url, SESSION);
  browser.set(url, SESSION, await olderSession(services.consoleSessions, token, { rolesMs: ROLES_VALID_MS }));
  const headers = { cookie: browser.cookie(url), "x-console": "session", "x-forwarded-for": address };
  const reply = await callRest(`${url}/console/session/refresh`, "POST", undefined, undefined, headers);
  for (const cookie of [reply.headers["set-cookie"] ?? []].flat()) browser.store(url, cookie);
  return reply.status;
}

function times(count: number, call: () => Promise<unknown>): Promise<unknown>[] {
  return Array.from({ length: count }, call);
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "ok",
    (error: unknown) => Object(error).code,
  );
}

async function failureCount(): Promise<number> {
  const { values } = await services.telemetry.metrics.authenticationFailures.get();
  return values[0]?.value ?? 0;
}
