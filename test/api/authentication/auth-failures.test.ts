import { describe, expect, test } from "vitest";
import { issueApiKey } from "../../../src/domain/accounts/api-key.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { AuthFailures } from "../../../src/services/requests/auth-failures.js";
import { RateCounter } from "../../../src/services/requests/rate-counter.js";
import { Metrics } from "../../../src/telemetry/metrics.js";
import { createSession } from "../../support/embed/sessions.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { limitsOf, refused } from "../../support/rest/rate-limit-replies.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";

const LIMIT = 3;
const graphql = useGraphql({
  rateLimits: { maxAuthFailures: LIMIT },
  trustedProxies: ["127.0.0.0/8"],
  speed: { keyCacheMs: 0 },
});
const subscribed = useGraphql({ rateLimits: { maxAuthFailures: LIMIT }, trustedProxies: ["127.0.0.1"] });
const direct = useGraphql({ rateLimits: { maxAuthFailures: LIMIT } });
const careless = useGraphql({ rateLimits: { maxAuthFailures: 0 } });

const query = { query: "{ viewer { __typename } }" };
const tooOften = expect.stringMatching(
  /^Too many failed authentication attempts from this address\. Try again in \d+ s\.$/,
);

/** Calls from an address behind the trusted proxy. */
function at(address: string, fixture = graphql) {
  const headers = (authorization: string | undefined) => ({ authorization, "x-forwarded-for": address });
  const { url } = fixture().service;
  return {
    rest: (authorization?: string) =>
      callRest(
        `${url}/api/user`,
        "GET",
        undefined,
        { user_group_id: "x", name: "X" },
        headers(authorization),
      ),
    graphql: (authorization?: string) =>
      callRest(`${url}/graphql`, "POST", undefined, query, headers(authorization)),
    siteConfig: (authorization?: string) =>
      callRest(`${url}/site-config/none?account=none`, "GET", undefined, undefined, headers(authorization)),
  };
}

const unknownKey = () => `Token ${issueApiKey(graphql().account.accountId, "Customer").secret}`;
const valid = () => `Token ${graphql().keys.admin}`;

/** A valid key that this process has not cached. */
const unused = async () => `Token ${(await graphql().account.createKey()).secret}`;

/** The Authorization header of a new group's front end. */
async function frontEndToken(providedId: string): Promise<string> {
  const { createUserGroup: created } = await graphql().run(
    `mutation { createUserGroup(input: { providedId: "${providedId}", name: "F" }) { userGroup { token } } }`,
  );
  return `Bearer ${created.userGroup.token}`;
}

async function fail(address: string, times = LIMIT): Promise<void> {
  for (let time = 0; time < times; time += 1) expect((await at(address).rest(unknownKey())).status).toBe(401);
}

describe("an address with too many failed authentications", () => {
  test("is rejected by REST", async () => {
    await fail("192.0.2.1");
    const reply = await at("192.0.2.1").rest(unknownKey());
    expectError(reply, 429, { code: "rate_limited", message: tooOften });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT, "auth-failures"));
  });

  test("is rejected by GraphQL", async () => {
    await fail("192.0.2.2");
    const reply = await at("192.0.2.2").graphql(unknownKey());
    expect(reply).toMatchObject({
      status: 429,
      body: {
        errors: [{ message: tooOften, extensions: { code: "RATE_LIMITED", limit: LIMIT, remaining: 0 } }],
      },
    });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT, "auth-failures"));
  });

  test("is rejected everywhere", async () => {
    await fail("192.0.2.3");
    const { rest, graphql: call, siteConfig } = at("192.0.2.3");
    for (const authorization of [unknownKey(), "Token nonsense", `Bearer ${issueUserGroupToken(1)}`]) {
      for (const reply of [
        await rest(authorization),
        await call(authorization),
        await siteConfig(authorization),
      ]) {
        expect(reply.status).toBe(429);
      }
    }
  });

  test("can still use every valid credential, also new ones, until they are revoked", async () => {
    const { account, service, keys } = graphql();
    await fail("192.0.2.50");
    const { rest, graphql: call, siteConfig } = at("192.0.2.50");
    const key = await account.createKey();
    const authorization = `Token ${key.secret}`;
    const token = await frontEndToken("fronted");
    const session = await createSession(service, keys.admin, { user_group_id: "fronted" });
    expect((await rest(unknownKey())).status).toBe(429);
    expect((await rest(authorization)).status).toBe(200);
    expect((await siteConfig(authorization)).status).toBe(404);
    for (const credentials of [authorization, token, `Bearer ${session.token}`]) {
      expect((await call(credentials)).status).toBe(200);
    }
    await service.services.accounts.revokeKey(key.id);
    expect((await rest(authorization)).status).toBe(429);
    expect((await rest(await unused())).status).toBe(200);
  });

  test("can still request what needs no credentials", async () => {
    await fail("192.0.2.4");
    expect((await at("192.0.2.4").graphql()).status).toBe(200);
    expect((await at("192.0.2.4").siteConfig()).status).toBe(404);
    expect((await at("192.0.2.4").rest()).status).toBe(401);
  });

  test("does not affect other addresses", async () => {
    await fail("192.0.2.5");
    await fail("2001:db8:1:1::1");
    expect((await at("192.0.2.6").rest(valid())).status).toBe(200);
    expect((await at("2001:db8:1:1::2").rest(unknownKey())).status).toBe(429);
    expect((await at("2001:db8:1:2::1").rest(valid())).status).toBe(200);
  });

  test("keeps its open subscription", async () => {
    const { service, run, keys } = subscribed();
    const { createUserGroup: created } = await run(
      `mutation { createUserGroup(input: { providedId: "watched", name: "W" }) { userGroup { token } } }`,
    );
    const authorization = `Bearer ${created.userGroup.token}`;
    const subscription = "subscription { userGroupChanged { kind } }";
    const stream = await openEventStream(service.url, authorization, subscription);
    const url = `${service.url}/api/user`;
    for (let time = 0; time < LIMIT; time += 1) await callRest(url, "GET", "nonsense");
    const other = `Bearer ${issueUserGroupToken(1)}`;
    expect((await openEventStream(service.url, other, subscription)).status).toBe(429);
    const change = { user_group_id: "watched", name: "V" };
    const elsewhere = { "x-forwarded-for": "192.0.2.7" };
    expect((await callRest(url, "PUT", keys.admin, change, elsewhere)).status).toBe(200);
    expect(await stream.next()).toMatchObject({ data: { userGroupChanged: { kind: "UPDATED" } } });
    stream.close();
  });
});

describe("authentication failures", () => {
  test.each([
    ["a key with a wrong checksum", () => `${valid().slice(0, -6)}000000`],
    ["a key that was never issued", unknownKey],
    ["a token that was never issued", () => `Bearer ${issueUserGroupToken(graphql().account.accountId)}`],
    ["nonsense", () => "Token nonsense"],
    ["another scheme", () => "Basic eDp5"],
  ])("%s", async (name, authorization) => {
    const { graphql: call } = at(`client ${name}`);
    for (let time = 0; time < LIMIT; time += 1) expect((await call(authorization())).status).toBe(401);
    expect((await call(authorization())).status).toBe(429);
  });

  test("exclude requests that succeed, are forbidden or have no credentials", async () => {
    const { rest, graphql: call } = at("192.0.2.20");
    const { run, keys } = graphql();
    await run(
      `mutation { getOrCreateUserGroup(input: { providedId: "x", name: "X" }) { userErrors { code } } }`,
    );
    for (let time = 0; time <= LIMIT; time += 1) {
      expect((await rest(valid())).status).toBe(200);
      expect((await rest()).status).toBe(401);
      expect((await call()).status).toBe(200);
      const forbidden = await callRest(
        `${graphql().service.url}/api/user`,
        "DELETE",
        keys.read,
        {},
        {
          "x-forwarded-for": "192.0.2.20",
        },
      );
      expect(forbidden.status).toBe(403);
    }
    await fail("192.0.2.20", LIMIT - 1);
    expect((await rest(valid())).status).toBe(200);
    await fail("192.0.2.20", 1);
    expect((await rest(unknownKey())).status).toBe(429);
  });

  test("are not counted without a limit", async () => {
    for (let time = 0; time < 20; time += 1) {
      expect((await at("192.0.2.30", careless).rest("Token nonsense")).status).toBe(401);
    }
  });
});

describe("the client address", () => {
  test("is the connection's when no proxy is trusted, whatever the headers", async () => {
    for (let time = 0; time < LIMIT; time += 1) {
      expect((await at(`192.0.2.${time}`, direct).rest("Token nonsense")).status).toBe(401);
    }
    expect((await at("192.0.2.99", direct).rest("Token nonsense")).status).toBe(429);
  });

  test("is the last untrusted one, whatever the client sent", async () => {
    for (let time = 0; time < LIMIT; time += 1) {
      expect((await at(`198.51.100.${time}, 192.0.2.40, 127.0.0.9`).rest("Token nonsense")).status).toBe(401);
    }
    expect((await at("198.51.100.9, 192.0.2.40").rest(unknownKey())).status).toBe(429);
    expect((await at("192.0.2.40, 198.51.100.9").rest(valid())).status).toBe(200);
  });
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
