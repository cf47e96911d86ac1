import { request } from "undici";
import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { exceeded, left, limitsOf, refused } from "../../support/rest/rate-limit-replies.js";
import { useKeys } from "../../support/rest/rate-limited-keys.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const LIMIT = 6;
/** The fixture's own calls use other keys. */
const graphql = useGraphql({ rateLimits: { maxCost: LIMIT } });
const unlimited = useGraphql();

const { newKey, rest, spend } = useKeys(graphql);

describe("REST", () => {
  test("each call costs one unit, shown in every reply; calls above the limit get 429 and are not executed", async () => {
    const key = await newKey();
    for (let remaining = LIMIT - 1; remaining >= 0; remaining -= 1) {
      const reply = await rest(key);
      expect(reply.status).toBe(200);
      expect(limitsOf(reply)).toEqual(left(remaining, LIMIT));
    }
    const reply = await rest(key, { user_group_id: "never", name: "Never" });
    expectError(reply, 429, { code: "rate_limited", message: exceeded(LIMIT, 0, 1) });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT));
    const found = await graphql().service.query("SELECT 1 FROM user_group WHERE provided_id = 'never'");
    expect(found).toEqual([]);
  });

  test("a failing call costs one unit, shown in its reply", async () => {
    const key = await newKey();
    const reply = await rest(key, "{");
    expect(reply.status).toBe(400);
    expect(limitsOf(reply)).toEqual(left(LIMIT - 1, LIMIT));
  });

  test("each key has its own allowance, also within one account", async () => {
    const [one, other] = [await newKey(), await newKey()];
    await spend(one, LIMIT);
    expect((await rest(one)).status).toBe(429);
    expect(limitsOf(await rest(other))).toEqual(left(LIMIT - 1, LIMIT));
  });
});

test("a user group's front ends share an allowance, which rotation does not reset", async () => {
  const { service } = graphql();
  const admin = await newKey();
  const fixture = {
    ...graphql(),
    run: (query: string, variables?: object) => graphql().run(query, { ...variables }, admin),
  };
  const { token } = await createUserGroup(fixture, "front", { name: "Front" });
  const read = (bearer: string) =>
    callRest(
      `${service.url}/graphql`,
      "POST",
      undefined,
      { query: "{ viewer { userGroup { name } } }" },
      {
        authorization: `Bearer ${bearer}`,
      },
    );
  for (let remaining = LIMIT - 1; remaining >= 0; remaining -= 1) {
    expect(limitsOf(await read(token))).toEqual(left(remaining, LIMIT));
  }
  const rotated = await callRest(`${service.url}/api/user`, "POST", admin, { current_token: token });
  expect(rotated.status).toBe(200);
  const [, next = ""] = /"token":"(ugt_\w+)"/.exec(JSON.stringify(rotated.body)) ?? [];
  expect(await read(next)).toMatchObject({
    status: 429,
    body: { errors: [{ extensions: { code: "RATE_LIMITED" } }] },
  });
});

describe("without credentials", () => {
  const open = useGraphql({ rateLimits: { maxCost: LIMIT }, trustedProxies: ["127.0.0.1"] });
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("an address has one allowance for public site configurations and the schema", async () => {
    const { service, account } = open();
    await changeSite(open(), "put", { site: "open", text: JSON.stringify(goodSite), isPublic: true });
    const site = `${service.url}/site-config/open?account=${encodeURIComponent(account.name)}`;
    const read = async (address: string) => {
      const reply = await request(site, { headers: from(address) });
      await reply.body.dump();
      return { status: reply.statusCode, headers: reply.headers };
    };
    for (let remaining = LIMIT - 1; remaining > 0; remaining -= 1) {
      const reply = await read("2001:db8::1");
      expect(reply.status).toBe(200);
      expect(limitsOf(reply)).toEqual(left(remaining, LIMIT));
    }
    const query = { query: "{ __typename }" };
    // Count an IPv6 network as one address: its owner has them all.
    const explored = await callRest(`${service.url}/graphql`, "POST", undefined, query, from("2001:db8::2"));
    expect(explored.status).toBe(200);
    expect(limitsOf(explored)).toEqual(left(0, LIMIT));
    const refusal = await read("2001:db8::3");
    expect(refusal.status).toBe(429);
    expect(limitsOf(refusal)).toEqual(refused(0, LIMIT));
    expect(
      (await callRest(`${service.url}/graphql`, "POST", undefined, query, from("2001:db8::4"))).status,
    ).toBe(429);
    expect((await read("2001:db8:0:1::1")).status).toBe(200);
  });

  test("a key has its own allowance from any address", async () => {
    const { service, account, keys } = open();
    const site = `${service.url}/site-config/missing`;
    const { secret } = await account.createKey();
    for (let count = LIMIT - 1; count >= 0; count -= 1) {
      const reply = await callRest(site, "GET", secret, undefined, from(`192.0.2.${count}`));
      expect(reply.status).toBe(404);
      expect(limitsOf(reply)).toEqual(left(count, LIMIT));
    }
    expectError(await callRest(site, "GET", secret), 429, {
      code: "rate_limited",
      message: exceeded(LIMIT, 0, 1),
    });
    expect((await callRest(site, "GET", keys.testing)).status).toBe(404);
  });

  test("endpoints without data have no limit", async () => {
    const { service } = open();
    for (const path of ["/livez", "/readyz", "/schemas/site-config.json", "/nothing"]) {
      for (let count = 0; count <= LIMIT; count += 1) {
        const reply = await callRest(service.url + path, "GET", undefined, undefined, from("192.0.2.77"));
        expect(reply.status).not.toBe(429);
        expect(reply.headers).not.toHaveProperty("ratelimit");
      }
    }
  });
});

test("no headers are sent and nothing is rejected without a limit", async () => {
  const { service, keys, call } = unlimited();
  const reply = await callRest(`${service.url}/api/user`, "GET", keys.admin, {
    user_group_id: "x",
    name: "X",
  });
  for (const { status, headers } of [reply, await call("{ viewer { environment } }")]) {
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
  }
  expect(service.services.rateLimits.spend({ kind: "address", address: "192.0.2.1" }, 1000)).toBeNull();
});

describe("an expired window", () => {
  const short = useGraphql({ rateLimits: { maxCost: 1, windowSeconds: 1 } });

  test("restores the whole allowance", async () => {
    const { service, keys } = short();
    const call = async () => {
      const body = { user_group_id: "x", name: "X" };
      const { status, headers } = await callRest(`${service.url}/api/user`, "GET", keys.admin, body);
      return { status, retryAfter: headers["retry-after"] };
    };
    await expect.poll(call).toEqual({ status: 429, retryAfter: "1" });
    await expect.poll(call).toEqual({ status: 200, retryAfter: undefined });
  });
});
