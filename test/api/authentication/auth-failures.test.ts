import { describe, expect, test } from "vitest";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { AuthFailures, RateCounter } from "../../../src/services/requests/rate-limits.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { createSession } from "../../support/embed/sessions.js";
import { openEventStream, openGroupStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { limitsOf, refused } from "../../support/rest/rate-limit-replies.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";

const LIMIT = 3;
const graphql = await startGraphql({
  rateLimits: { maxAuthFailures: LIMIT },
  trustedProxies: ["127.0.0.0/8"],
  speed: { keyCacheMs: 0 },
});
const { account, keys, rest, service } = graphql;
const direct = await startGraphql({ rateLimits: { maxAuthFailures: LIMIT } });
const careless = await startGraphql({ rateLimits: { maxAuthFailures: 0 } });

/** Calls from an address behind the trusted proxy. */
function at(address: string, fixture = graphql) {
  const { url } = fixture.service;
  const call =
    (method: string, path: string, body?: object) =>
    (authorization?: string): Promise<RestReply> =>
      callRest(url + path, method, undefined, body, { authorization, "x-forwarded-for": address });
  return {
    rest: call("GET", "/api/user", { user_group_id: "x", name: "X" }),
    graphql: call("POST", "/graphql", { query: "{ viewer { __typename } }" }),
    siteConfig: call("GET", "/site-config/none?account=none"),
  };
}

const NONSENSE = "Token nonsense";
const unknownKey = () => `Token ${issueApiKey(graphql.account.accountId, "Customer").secret}`;
const valid = () => `Token ${graphql.keys.admin}`;
const statusesOf = async (authorization: string | undefined, address: string) => {
  const apis = Object.values(at(address)).map((call) => call(authorization));
  return (await Promise.all(apis)).map(({ status }) => status);
};

async function fail(address: string, times = LIMIT): Promise<void> {
  for (let time = 0; time < times; time += 1) expect((await at(address).rest(unknownKey())).status).toBe(401);
}

describe("an address with too many failed authentications", () => {
  const message = expect.stringMatching(
    /^Too many failed authentication attempts from this address\. Try again in \d+ s\.$/,
  );

  test("is rejected everywhere", async () => {
    const address = "192.0.2.1";
    await fail(address);
    const replies = [await at(address).rest(unknownKey()), await at(address).graphql(unknownKey())];
    expectError(Object(replies[0]), 429, { code: "rate_limited", message });
    expect(replies[1]).toMatchObject({
      status: 429,
      body: { errors: [{ message, extensions: { code: "RATE_LIMITED", limit: LIMIT, remaining: 0 } }] },
    });
    for (const reply of replies) expect(limitsOf(reply)).toEqual(refused(0, LIMIT, "auth-failures"));
    for (const authorization of [unknownKey(), NONSENSE, `Bearer ${issueUserGroupToken(1)}`])
      expect(await statusesOf(authorization, address)).toEqual([429, 429, 429]);
  });

  test("can still use every valid credential, also new ones, until they are revoked, and what needs none", async () => {
    const address = "192.0.2.50";
    await fail(address);
    const key = await account.createKey();
    const { token } = await createUserGroup(graphql, "fronted");
    const session = await createSession(service, keys.admin, { user_group_id: "fronted" });
    expect(await statusesOf(`Token ${key.secret}`, address)).toEqual([200, 200, 404]);
    for (const bearer of [token, session.token])
      expect((await at(address).graphql(`Bearer ${bearer}`)).status).toBe(200);
    await service.services.accounts.revokeKey(key.id);
    expect((await at(address).rest(`Token ${key.secret}`)).status).toBe(429);
    // A valid key that this process has not cached.
    expect((await at(address).rest(`Token ${(await account.createKey()).secret}`)).status).toBe(200);
    expect(await statusesOf(undefined, address)).toEqual([401, 200, 404]);
  });

  test("does not affect other addresses, of which an IPv6 network is one", async () => {
    await fail("192.0.2.5");
    await fail("2001:db8:1:1::1");
    expect((await at("2001:db8:1:1::2").rest(unknownKey())).status).toBe(429);
    for (const address of ["192.0.2.6", "2001:db8:1:2::1"])
      expect((await at(address).rest(unknownKey())).status).toBe(401);
  });

  test("keeps its open subscription", async () => {
    const { token } = await createUserGroup(graphql, "watched");
    const subscription = "subscription { userGroupChanged { kind } }";
    const stream = await openGroupStream(service.url, `Bearer ${token}`, subscription);
    for (let time = 0; time < LIMIT; time += 1) await rest("GET", {}, "nonsense");
    const other = `Bearer ${issueUserGroupToken(1)}`;
    expect((await openEventStream(service.url, other, subscription)).status).toBe(429);
    expect((await rest("PUT", { user_group_id: "watched", name: "V" })).status).toBe(200);
    expect(await stream.next()).toMatchObject({ data: { userGroupChanged: { kind: "UPDATED" } } });
    stream.close();
  });
});

describe("authentication failures", () => {
  test.each([
    ["a key with a wrong checksum", () => `${valid().slice(0, -6)}000000`],
    ["a key that was never issued", unknownKey],
    ["a token that was never issued", () => `Bearer ${issueUserGroupToken(graphql.account.accountId)}`],
    ["nonsense", () => NONSENSE],
    ["another scheme", () => "Basic eDp5"],
  ])("are %s", async (name, authorization) => {
    const { graphql: call } = at(`client ${name}`);
    for (let time = 0; time < LIMIT; time += 1) expect((await call(authorization())).status).toBe(401);
    expect((await call(authorization())).status).toBe(429);
  });

  test("exclude requests that succeed, are forbidden or have no credentials", async () => {
    const address = "192.0.2.20";
    for (let time = 0; time <= LIMIT; time += 1) {
      expect(await statusesOf(valid(), address)).toEqual([200, 200, 404]);
      expect(await statusesOf(undefined, address)).toEqual([401, 200, 404]);
      const forbidden = await rest("DELETE", {}, keys.read, { "x-forwarded-for": address });
      expect(forbidden.status).toBe(403);
    }
    await fail(address, LIMIT - 1);
    expect((await at(address).rest(valid())).status).toBe(200);
    await fail(address, 1);
    expect((await at(address).rest(unknownKey())).status).toBe(429);
  });

  test("are not counted without a limit", async () => {
    for (let time = 0; time < 20; time += 1)
      expect((await at("192.0.2.30", careless).rest(NONSENSE)).status).toBe(401);
  });
});

test.each([
  ["the connection's when no proxy is trusted", direct, (index: number) => `192.0.2.${index}`],
  [
    "the last untrusted one",
    graphql,
    (index: number) => `198.51.100.${index}, 192.0.2.40${index % 2 ? "" : ", 127.0.0.9"}`,
  ],
])("the client address is %s, whatever the client sent", async (_, fixture, address) => {
  for (let time = 0; time < LIMIT; time += 1)
    expect((await at(address(time), fixture).rest(NONSENSE)).status).toBe(401);
  expect((await at(address(LIMIT), fixture).rest(NONSENSE)).status).toBe(429);
});

test("beyond the limit, credentials are verified one at a time", async () => {
  const limit = { policy: "auth-failures", limit: 1, windowSeconds: 60 } as const;
  const failures = new AuthFailures(new RateCounter(limit), new Metrics());
  let started = 0;
  const verify = async (address: string, verification: Promise<unknown>) =>
    failures.verify(address, () => {
      started += 1;
      return verification;
    });
  const address = "192.0.2.60";
  await failures.record(address);
  let refuse: (reason: Error) => void = () => undefined;
  const pending = new Promise((_, reject) => {
    refuse = reject;
  });
  const results = [verify(address, pending), verify(address, Promise.resolve("valid"))];
  await verify("192.0.2.61", Promise.resolve("of another address"));
  expect(started).toBe(2);
  refuse(new Error("unknown"));
  expect(await Promise.allSettled(results)).toMatchObject([
    { status: "rejected" },
    { status: "fulfilled", value: "valid" },
  ]);
});
