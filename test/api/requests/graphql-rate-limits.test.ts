import { expect, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { exceeded, left, limitsOf, refused } from "../../support/rest/rate-limit-replies.js";
import { useKeys } from "../../support/rest/rate-limited-keys.js";
import { callRest } from "../../support/rest/rest-client.js";

const LIMIT = 6;
/** The fixture's own calls use other keys. */
const graphql = useGraphql({ rateLimits: { maxCost: LIMIT }, corsOrigins: "*" });

const { newKey, rest, spend } = useKeys(graphql);

const REVOKE = `revokeApiKey(input: { id: "none" }) { userErrors { code } }`;

const call = (key: string, query: string) => graphql().call(query, {}, key);
const root = (count: number, alias = true) =>
  `{ ${Array.from({ length: count }, (_, index) => `${alias ? `a${index}: ` : ""}viewer { environment }`).join(" ")} }`;

test("shares the key's allowance with REST", async () => {
  const key = await newKey();
  await spend(key, 2);
  expect(limitsOf(await call(key, root(1)))).toEqual(left(LIMIT - 3, LIMIT));
});

test.each([
  ["aliases", root(4)],
  ["the same field again", root(4, false)],
  [
    "fragments",
    `{ ...F ...F } fragment F on Query { viewer { environment } ... { a: viewer { environment } } }`,
  ],
  ["mutations", `mutation { ${[1, 2, 3, 4].map((n) => `a${n}: ${REVOKE}`).join(" ")} }`],
])("each root field costs one unit: %s", async (_case, query) => {
  const key = await newKey();
  const replied = await call(key, query);
  expect(replied.status).toBe(200);
  expect(limitsOf(replied)).toEqual(left(LIMIT - 4, LIMIT));
});

test("an operation that exceeds the remaining allowance does not run at all", async () => {
  const key = await newKey();
  const create = (count: number) =>
    `mutation { ${Array.from(
      { length: count },
      (_, n) => `a${n}: createUserGroup(input: { providedId: "r${n}", name: "R" }) { userErrors { code } }`,
    ).join(" ")} }`;
  await spend(key, 2);
  const reply = await call(key, create(5));
  expect(reply).toMatchObject({
    status: 429,
    body: {
      errors: [
        {
          message: exceeded(LIMIT, 3, 4),
          extensions: { code: "RATE_LIMITED", limit: LIMIT, remaining: 3, needed: 4 },
        },
      ],
    },
  });
  expect(reply.body).not.toHaveProperty("data");
  expect(limitsOf(reply)).toEqual(refused(3, LIMIT));
  // The request cost one unit; the operation nothing.
  expect(await graphql().service.query("SELECT 1 FROM user_group WHERE provided_id LIKE 'r_'")).toEqual([]);
  const smaller = await call(key, create(3));
  expect(smaller.status).toBe(200);
  expect(limitsOf(smaller)).toEqual(left(0, LIMIT));
});

test("an operation is not even parsed when no allowance is left", async () => {
  const key = await newKey();
  await spend(key, LIMIT);
  const reply = await call(key, "{ nonsense");
  expect(reply.status).toBe(429);
  expect(reply.body).toEqual({
    errors: [
      {
        message: exceeded(LIMIT, 0, 1),
        extensions: {
          code: "RATE_LIMITED",
          retryAfter: Number(reply.headers["retry-after"]),
          limit: LIMIT,
          remaining: 0,
          needed: 1,
          requestId: reply.headers["x-request-id"],
        },
      },
    ],
  });
  expect(limitsOf(reply)).toEqual(refused(0, LIMIT));
});

test("an invalid document costs one unit", async () => {
  const key = await newKey();
  for (const query of ["{ nonsense", "{ nonsense }"]) await call(key, query);
  expect(limitsOf(await call(key, root(1)))).toEqual(left(LIMIT - 3, LIMIT));
});

test("an operation that costs more than the whole allowance is too large", async () => {
  const key = await newKey();
  expect(await call(key, root(LIMIT + 1))).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: "TOO_MANY_ROOT_FIELDS", limit: LIMIT, actual: LIMIT + 1 } }] },
  });
  expect((await call(await newKey(), root(LIMIT))).status).toBe(200);
});

test("a page can read the headers", async () => {
  const { headers } = await callRest(
    `${graphql().service.url}/graphql`,
    "POST",
    await newKey(),
    { query: root(1) },
    { origin: "https://app.example.com" },
  );
  expect(headers["access-control-expose-headers"]).toBe(
    "X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, RateLimit, Idempotent-Replayed",
  );
});

test("a subscription costs one unit and is rejected before its stream begins", async () => {
  const key = await newKey();
  const { url } = graphql().service;
  await rest(key);
  const query = `subscription { userGroupChanged(by: { providedId: "x" }) { kind } }`;
  const stream = await openEventStream(url, `Token ${key}`, query);
  expect(stream.status).toBe(200);
  expect(limitsOf(stream)).toEqual(left(LIMIT - 2, LIMIT));
  stream.close();
  await spend(key, LIMIT - 2);
  const refusal = await openEventStream(url, `Token ${key}`, query);
  expect(refusal).toMatchObject({
    status: 429,
    body: { errors: [{ extensions: { code: "RATE_LIMITED", limit: LIMIT } }] },
  });
  expect(limitsOf(refusal)).toEqual(refused(0, LIMIT));
});
