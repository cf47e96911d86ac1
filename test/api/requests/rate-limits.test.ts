import { request } from "undici";
import { describe, expect, test } from "vitest";
import {
  CALLER_KINDS,
  type CallerKind,
  CREDENTIALS_OF,
  createPrincipal,
  type Principal,
} from "../../support/access/caller-kinds.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { times } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { exceeded, left, limitsOf, refused } from "../../support/rest/rate-limit-replies.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const LIMIT = 6;
/** The fixture's own calls use other keys. */
const graphql = await startGraphql({
  rateLimits: { maxCost: LIMIT },
  corsOrigins: "*",
  console: true,
  trustedProxies: ["127.0.0.1"],
});
const { account, front, keys, service } = graphql;
const unlimited = await startGraphql();
const short = await startGraphql({ rateLimits: { maxCost: 1, windowSeconds: 1 } });

const BODY = { user_group_id: "x", name: "X" };
const newKey = async () => (await account.createKey()).secret;
const rest = (key: string, body: unknown = BODY) => graphql.rest("GET", body, key);
const call = (key: string, query: string) => graphql.call(query, {}, key);
async function spend(key: string, cost: number): Promise<void> {
  for (let spent = 0; spent < cost; spent += 1) expect((await rest(key)).status).toBe(200);
}

/** Expects each call to take one unit until none is left. @param status of the replies */
async function expectAllowance(status: number, send: () => Promise<Pick<RestReply, "status" | "headers">>) {
  for (let remaining = LIMIT - 1; remaining >= 0; remaining -= 1) {
    const reply = await send();
    expect([reply.status, limitsOf(reply)]).toEqual([status, left(remaining, LIMIT)]);
  }
}

const root = (count: number) => `{ ${times(count, (index) => `a${index}: viewer { environment }`)} }`;
const creating = (count: number) =>
  `mutation { ${times(count, (n) => `a${n}: createUserGroup(input: { providedId: "r${n}", name: "R" }) { userErrors { code } }`)} }`;
const createdGroups = () =>
  service.query("SELECT 1 FROM user_group WHERE provided_id LIKE 'r_' OR provided_id = 'never'");

describe("each call", () => {
  test("costs one unit, shown in every reply; calls above the limit get 429 and are not executed", async () => {
    const key = await newKey();
    await expectAllowance(200, () => rest(key));
    const reply = await rest(key, { user_group_id: "never", name: "Never" });
    expectError(reply, 429, { code: "rate_limited", message: exceeded(LIMIT, 0, 1) });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT));
    expect(await createdGroups()).toEqual([]);
    // Each key has its own allowance, also within one account.
    expect(limitsOf(await rest(await newKey()))).toEqual(left(LIMIT - 1, LIMIT));
  });

  test.each([
    ["a failing one", (key: string) => rest(key, "{")],
    ["a document that is not GraphQL", (key: string) => call(key, "{ nonsense")],
    ["an invalid document", (key: string) => call(key, "{ nonsense }")],
  ])("costs one unit: %s, also after another API took some", async (_, send) => {
    const key = await newKey();
    await spend(key, 2);
    await send(key);
    expect(limitsOf(await call(key, root(1)))).toEqual(left(LIMIT - 4, LIMIT));
  });

  test.each([
    ["aliases", root(4)],
    ["the same field again", `{ ${times(4, () => "viewer { environment }")} }`],
    [
      "fragments",
      "{ ...F ...F } fragment F on Query { viewer { environment } ... { a: viewer { environment } } }",
    ],
    [
      "mutations",
      `mutation { ${times(4, (n) => `a${n}: revokeApiKey(input: { id: "none" }) { userErrors { code } }`)} }`,
    ],
  ])("costs one unit per root field: %s", async (_, query) => {
    const reply = await call(await newKey(), query);
    expect([reply.status, limitsOf(reply)]).toEqual([200, left(LIMIT - 4, LIMIT)]);
  });
});

describe("an operation", () => {
  test("that exceeds the remaining allowance does not run at all", async () => {
    const key = await newKey();
    await spend(key, 2);
    const reply = await call(key, creating(5));
    const extensions = { code: "RATE_LIMITED", limit: LIMIT, remaining: 3, needed: 4 };
    expect(reply).toMatchObject({
      status: 429,
      body: { errors: [{ message: exceeded(LIMIT, 3, 4), extensions }] },
    });
    expect(reply.body).not.toHaveProperty("data");
    expect(limitsOf(reply)).toEqual(refused(3, LIMIT));
    // The request cost one unit; the operation nothing.
    expect(await createdGroups()).toEqual([]);
    const smaller = await call(key, creating(3));
    expect([smaller.status, limitsOf(smaller)]).toEqual([200, left(0, LIMIT)]);
  });

  test("is not even parsed when no allowance is left", async () => {
    const key = await newKey();
    await spend(key, LIMIT);
    const reply = await call(key, "{ nonsense");
    const extensions = {
      code: "RATE_LIMITED",
      retryAfter: Number(reply.headers["retry-after"]),
      limit: LIMIT,
      remaining: 0,
      needed: 1,
      requestId: reply.headers["x-request-id"],
    };
    expect(reply.status).toBe(429);
    expect(reply.body).toEqual({ errors: [{ message: exceeded(LIMIT, 0, 1), extensions }] });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT));
  });

  test("that costs more than the whole allowance is too large", async () => {
    expect(await call(await newKey(), root(LIMIT + 1))).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: "TOO_MANY_ROOT_FIELDS", limit: LIMIT, actual: LIMIT + 1 } }] },
    });
    expect((await call(await newKey(), root(LIMIT))).status).toBe(200);
  });
});

test("a subscription costs one unit and is rejected before its stream begins", async () => {
  const key = await newKey();
  const { url } = service;
  await rest(key);
  const query = `subscription { userGroupChanged(by: { providedId: "x" }) { kind } }`;
  const stream = await openEventStream(url, `Token ${key}`, query);
  expect([stream.status, limitsOf(stream)]).toEqual([200, left(LIMIT - 2, LIMIT)]);
  stream.close();
  await spend(key, LIMIT - 2);
  const refusal = await openEventStream(url, `Token ${key}`, query);
  expect(refusal).toMatchObject({
    status: 429,
    body: { errors: [{ extensions: { code: "RATE_LIMITED", limit: LIMIT } }] },
  });
  expect(limitsOf(refusal)).toEqual(refused(0, LIMIT));
});

test("a user group's front ends share an allowance, which rotation does not reset", async () => {
  const admin = await newKey();
  const { token } = await createUserGroup(graphql, "front", {}, admin);
  const read = (bearer: string) => front(bearer, "{ viewer { userGroup { name } } }");
  await expectAllowance(200, () => read(token));
  const next = userGroupOf(await graphql.rest("POST", { current_token: token }, admin)).token;
  expect(await read(next)).toMatchObject({
    status: 429,
    body: { errors: [{ extensions: { code: "RATE_LIMITED" } }] },
  });
});

/** Whose allowance the calls of each kind of caller spend, and what REST replies once nothing is left. */
const COUNTERS: Readonly<
  Record<CallerKind, readonly [of: "key" | "person" | "group" | "address", rest: 429 | 401]>
> = {
  "an API key": ["key", 429],
  // REST accepts no cookies.
  "a key in the console": ["key", 401],
  "a person in the console": ["person", 401],
  "a user group token": ["group", 401],
  "an embed session": ["group", 401],
  // A site configuration, the only path of REST that needs none.
  "no credentials": ["address", 429],
};

describe("each kind of caller", () => {
  let addresses = 0;
  /** Addresses of no other caller. */
  const newAddress = () => {
    addresses += 1;
    return `203.0.113.${addresses}`;
  };
  /** New credentials of a principal, each time from another address, which only callers without credentials keep. */
  async function callerOf(kind: CallerKind, principal: Principal, address: string) {
    const from = COUNTERS[kind][0] === "address" ? address : newAddress();
    return { ...(await CREDENTIALS_OF[kind](principal)), "x-forwarded-for": from };
  }
  const ask = (headers: Readonly<Record<string, string>>) =>
    graphql.send({ query: "{ __typename }" }, null, headers);

  test("spends the allowance of its key, person, group or address, and no other", async () => {
    const spent = new Map<string, number>();
    const [one, other] = [await createPrincipal(graphql), await createPrincipal(graphql)];
    const elsewhere = await createPrincipal({ ...graphql, account: await service.createAccount() });
    // The last one is the first person in another account.
    const all = [one, other, { ...elsewhere, person: one.person }].map(
      (principal) => [principal, newAddress()] as const,
    );
    for (const _ of ["once", "with new credentials"]) {
      for (const [principal, address] of all) {
        for (const kind of CALLER_KINDS) {
          const name = `${COUNTERS[kind][0]} of ${principal.accountName} ${address}`;
          spent.set(name, (spent.get(name) ?? 0) + 1);
          const reply = await ask(await callerOf(kind, principal, address));
          const context = `${kind}: ${name}`;
          expect([reply.status, limitsOf(reply)], context).toEqual([
            200,
            left(LIMIT - (spent.get(name) ?? 0), LIMIT),
          ]);
        }
      }
    }
  });

  test.each(CALLER_KINDS)("is refused on each API when nothing is left: %s", async (kind) => {
    const principal = await createPrincipal(graphql);
    const headers = await callerOf(kind, principal, newAddress());
    await expectAllowance(200, () => ask(headers));
    const refusals = [
      await ask(headers),
      await openEventStream(service.url, headers, "subscription { userGroupChanged { kind } }"),
    ];
    for (const reply of refusals) {
      expect([reply.status, limitsOf(reply)]).toEqual([429, refused(0, LIMIT)]);
      expect(reply.body).toMatchObject({
        errors: [{ message: exceeded(LIMIT, 0, 1), extensions: { code: "RATE_LIMITED" } }],
      });
    }
    const [of, status] = COUNTERS[kind];
    const path = of === "address" ? "/site-config/open?account=none" : "/api/user";
    const reply = await callRest(`${service.url}${path}`, "GET", undefined, undefined, headers);
    expect(reply.status).toBe(status);
    if (status === 401) return;
    expectError(reply, 429, { code: "rate_limited", message: exceeded(LIMIT, 0, 1) });
    expect(limitsOf(reply)).toEqual(refused(0, LIMIT));
  });
});

describe("without credentials", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("an address has one allowance for public site configurations and the schema", async () => {
    await changeSite(graphql, "put", { site: "open", document: goodSite, isPublic: true }, await newKey());
    const site = `${service.url}/site-config/open?account=${encodeURIComponent(account.name)}`;
    // An IPv6 network counts as one address: its owner has them all.
    let host = 0;
    const read = async (network: string) => {
      host += 1;
      const headers = from(`${network}::${host}`);
      const explore = () =>
        callRest(`${service.url}/graphql`, "POST", undefined, { query: "{ __typename }" }, headers);
      if (host % 2) return explore();
      const reply = await request(site, { headers });
      await reply.body.dump();
      return { status: reply.statusCode, headers: reply.headers };
    };
    await expectAllowance(200, () => read("2001:db8"));
    for (const _ of ["schema", "site"]) {
      const reply = await read("2001:db8");
      expect([reply.status, limitsOf(reply)]).toEqual([429, refused(0, LIMIT)]);
    }
    expect((await read("2001:db8:0:1")).status).toBe(200);
  });

  test("a key has its own allowance from any address", async () => {
    const site = `${service.url}/site-config/missing`;
    const key = await newKey();
    let host = 0;
    await expectAllowance(404, () => {
      host += 1;
      return callRest(site, "GET", key, undefined, from(`192.0.2.${host}`));
    });
    const message = exceeded(LIMIT, 0, 1);
    expectError(await callRest(site, "GET", key), 429, { code: "rate_limited", message });
    expect((await callRest(site, "GET", keys.testing)).status).toBe(404);
  });

  test("endpoints without data have no limit", async () => {
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
  const { service } = unlimited;
  const replies = [await unlimited.rest("GET", BODY), await unlimited.call("{ viewer { environment } }")];
  for (const { status, headers } of replies) {
    expect(status).toBe(200);
    expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
  }
  expect(service.services.rateLimits.spend({ kind: "address", address: "192.0.2.1" }, 1000)).toBeNull();
});

test("an expired window restores the whole allowance", async () => {
  const send = async () => {
    const { status, headers } = await short.rest("GET", BODY);
    return { status, retryAfter: headers["retry-after"] };
  };
  await expect.poll(send).toEqual({ status: 429, retryAfter: "1" });
  await expect.poll(send).toEqual({ status: 200, retryAfter: undefined });
});
