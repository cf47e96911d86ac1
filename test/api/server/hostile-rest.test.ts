import fc from "fast-check";
import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import {
  expectHarmless,
  hostileJson,
  hostileObject,
  hostileText,
  maybeInvalidSiteConfig,
} from "../../support/rest/hostile-json.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const { keys, service } = await startGraphql();
const text = (value: unknown) => fc.constant(JSON.stringify(value));
const PROPERTIES =
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}';
const { token } = userGroupOf(
  await send("GET", `{"user_group_id":"kept","name":"Kept","properties":${PROPERTIES}}`),
);

async function send(method: string, body: string): Promise<RestReply> {
  return callRest(`${service.url}/api/user`, method, keys.admin, body);
}

/** Checks that a reply is a success or a well-formed error. @returns whether it is an error */
function isRefusal({ status, body, headers }: RestReply): boolean {
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  if (status === 200) {
    expect(body).toMatchObject({ success: 1 });
    return false;
  }
  expect([400, 404, 409, 413, 422]).toContain(status);
  expect(body).toMatchObject({
    success: 0,
    error: { code: expect.any(String), message: expect.any(String), request_id: headers["x-request-id"] },
  });
  return true;
}

test.each(["GET", "PUT", "POST", "DELETE"])("%s with hostile bodies", async (method) => {
  const bodies = fc.oneof(
    hostileJson,
    maybeInvalidSiteConfig(
      hostileObject({
        user_group_id: text("kept"),
        name: hostileText.map((name) => JSON.stringify(name)),
        properties: text({ a: 1 }),
        mapping: hostileText.map((schema) => JSON.stringify({ [schema]: "sales" })),
        ...(method === "GET" || method === "PUT" ? {} : { current_token: text("ugt_x") }),
        ...(method === "DELETE" ? { data_source_provided_id: text("sales") } : {}),
      }),
    ),
  );
  await expectHarmless(service, bodies, 75, async (body) => isRefusal(await send(method, body)));
});

test("treats keys with a meaning in JavaScript as data", async () => {
  const created = await send("GET", `{"user_group_id":"keys","name":"Keys","properties":${PROPERTIES}}`);
  const { body } = await send("GET", '{"user_group_id":"keys"}');
  expect(JSON.stringify(body)).toContain(PROPERTIES);
  expect(JSON.stringify(created.body)).toContain(PROPERTIES);
  // At the top level of the request they are unknown fields.
  const reply = await send("GET", '{"__proto__":{"user_group_id":"x","name":"X"}}');
  expect(reply).toMatchObject({ status: 400, body: { error: { field: "user_group_id" } } });
});

test("the last of duplicate keys wins", async () => {
  const reply = await send("GET", '{"user_group_id":"a","user_group_id":"twice","name":"A","name":"B"}');
  expect(reply).toMatchObject({ status: 200, body: { user_group: { provided_id: "twice", name: "B" } } });
});

test("a token survives any request sent with it", async () => {
  const fields = {
    current_token: hostileText.map((end) => JSON.stringify(token + end)),
    user_group_id: text("kept"),
  };
  const others = hostileObject(fields).filter((body) => JSON.parse(body).current_token !== token);
  await fc.assert(
    fc.asyncProperty(others, fc.constantFrom("POST", "DELETE"), async (body, method) => {
      expect(isRefusal(await send(method, body))).toBe(true);
    }),
    { numRuns: 50 },
  );
  expect((await send("POST", JSON.stringify({ current_token: token }))).status).toBe(200);
});

test("the site configuration route with hostile names and parameters", async () => {
  const parameters = fc.array(
    fc.tuple(fc.oneof(fc.constantFrom("account", "environment", "revision"), hostileText), hostileText),
    { maxLength: 4 },
  );
  const encode = (part: string) => encodeURIComponent(part.toWellFormed());
  const revisions = fc.constantFrom(
    "",
    "&revision=9e9",
    `&revision=${"9".repeat(400)}`,
    "&revision=-1",
    "&%00=%c0",
  );
  const key = fc.constantFrom(keys.admin, undefined);
  await fc.assert(
    fc.asyncProperty(hostileText, parameters, revisions, key, async (site, query, revision, secret) => {
      const search = query.map((pair) => pair.map(encode).join("=")).join("&");
      const url = `${service.url}/site-config/${encode(site)}?${search}${revision}`;
      const { status, body, headers } = await callRest(url, "GET", secret);
      expect([400, 401, 404]).toContain(status);
      expect(body).toMatchObject({ success: 0, error: { request_id: headers["x-request-id"] } });
    }),
    { numRuns: 100 },
  );
});

test("logs none of this as an internal error", () => {
  expect(service.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});
