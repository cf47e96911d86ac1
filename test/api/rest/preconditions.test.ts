import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { expectError } from "../../support/rest/rest-fixture.js";

const { rest: call, service } = await startGraphql();

type Headers = Readonly<Record<string, string>>;
const put = (id: string, fields: object, headers: Headers = {}) =>
  call("PUT", { user_group_id: id, ...fields }, undefined, headers);
const tagOf = async (id: string, name?: string) =>
  (await call("GET", { user_group_id: id, name })).headers["etag"];
const auditEntriesOf = (name: string) =>
  service.query("SELECT action FROM audit_entry WHERE subject_name = $1 ORDER BY id", [name]);

test("replies of GET and PUT have the version as a strong ETag; those of POST and DELETE have none", async () => {
  const created = await call("GET", { user_group_id: "tagged", name: "T", mapping: { a: "sales" } });
  expect(created).toMatchObject({ status: 200, headers: { etag: '"1"' } });
  expect(await tagOf("tagged")).toBe('"1"');
  const steps: readonly (readonly [object, string])[] = [
    [{}, '"1"'],
    [{ name: "T", mapping: { a: "sales" } }, '"1"'],
    [{ name: "New" }, '"2"'],
    [{ mapping: null }, '"3"'],
  ];
  for (const [fields, etag] of steps)
    expect(await put("tagged", fields)).toMatchObject({ status: 200, headers: { etag } });
  const { user_group: group } = Object((await put("tagged", {})).body);
  const rotated = await call("POST", { current_token: group.token });
  expect(rotated.headers).not.toHaveProperty("etag");
  expect(await tagOf("tagged")).toBe('"4"');
  const { token } = Object(rotated.body).user_group;
  expect((await call("DELETE", { current_token: token })).headers).not.toHaveProperty("etag");
});

describe("PUT with If-Match", () => {
  test.each([
    ['"2"', "holds"],
    ["*", "holds"],
    ['"1", "2"', "holds"],
    ['"1" ,\t"a,b", "2"', "holds"],
    ['"1"', "not 1"],
    ['W/"2"', "not an expected one"],
    ['W/"2", "3"', "not 3"],
    ['"02"', "not an expected one"],
    ['"3", "4"', "not an expected one"],
    ["2", "is malformed"],
    ["", "is malformed"],
    ['"2', "is malformed"],
    ['"1" "2"', "is malformed"],
    ['"1",', "is malformed"],
    ['*, "2"', "is malformed"],
    ['w/"2"', "is malformed"],
  ])("%s of version 2: %s", async (ifMatch, outcome) => {
    const id = `match ${ifMatch}`;
    await tagOf(id, "One");
    await put(id, { name: "Two" });
    const reply = await put(id, { name: "Three" }, { "if-match": ifMatch });
    const field = "If-Match";
    if (outcome === "is malformed") {
      const message = 'If-Match must be entity tags in quotes, such as "7", or *.';
      expectError(reply, 400, { code: "invalid_field", message, field });
    } else if (outcome.startsWith("not")) {
      const message = `The user group has version 2, ${outcome}. Read it again and repeat the change.`;
      expectError(reply, 412, { code: "version_conflict", message, field });
    } else {
      expect(reply).toMatchObject({ status: 200, headers: { etag: '"3"' } });
    }
    expect(await tagOf(id)).toBe(outcome === "holds" ? '"3"' : '"2"');
    expect(await auditEntriesOf(id)).toHaveLength(outcome === "holds" ? 3 : 2);
  });

  test("is checked before anything else of an existing group, also if nothing would change", async () => {
    await tagOf("unchanged", "U");
    for (const fields of [{ name: "U" }, {}, { mapping: { a: "nowhere" } }]) {
      expect(await put("unchanged", fields, { "if-match": '"2"' })).toMatchObject({ status: 412 });
    }
    expect(await put("unchanged", { name: "U" }, { "if-match": '"1"' })).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
    });
    for (const ifMatch of ["*", '"1"'])
      expect(await put("nobody", { name: "N" }, { "if-match": ifMatch })).toMatchObject({ status: 404 });
    const ignored = await call("GET", { user_group_id: "unchanged" }, undefined, { "if-match": "x" });
    expect(ignored.status).toBe(200);
  });

  test("lets one of many concurrent changes of a version through", async () => {
    const etag = String(await tagOf("raced", "R"));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put("raced", { name: `${index}` }, { "if-match": etag })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(await tagOf("raced")).toBe('"2"');
  });
});

describe("PUT with an Idempotency-Key", () => {
  const TEXT = '{"b":1.0,"10":12345678901234567890}';
  const send = (id: string, headers: Headers, properties = TEXT) =>
    call("PUT", `{"user_group_id":"${id}","properties":${properties}}`, undefined, headers);

  test("repeats the reply with its ETag, though the group has changed since", async () => {
    await tagOf("kept", "K");
    const headers = { "if-match": '"1"', "idempotency-key": "kept" };
    const first = await send("kept", headers);
    expect(first).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    await put("kept", { properties: null });
    const again = await send("kept", headers);
    expect(again).toMatchObject({ status: 200, headers: { etag: '"2"', "idempotent-replayed": "true" } });
    expect(again.body).toEqual(first.body);
    expect(await tagOf("kept")).toBe('"3"');
    // Without the key, the retry conflicts with its own change.
    expect(await send("kept", { "if-match": '"1"' })).toMatchObject({ status: 412 });
  });

  test.each<readonly [string, Headers, string]>([
    ["another If-Match", { "if-match": '"1", "2"' }, TEXT],
    ["no If-Match", {}, TEXT],
    ["another media type", { "if-match": '"1"', "content-type": "application/merge-patch+json" }, TEXT],
    ["another number", { "if-match": '"1"' }, TEXT.replace("7890", "7891")],
  ])("%s is another request", async (what, headers, properties) => {
    await tagOf(what, "A");
    const key = { "idempotency-key": what };
    expect((await send(what, { ...key, "if-match": '"1"' })).status).toBe(200);
    expect(await send(what, { ...key, ...headers }, properties)).toMatchObject({
      status: 422,
      body: { error: { code: "idempotency_mismatch" } },
    });
  });

  test("a write that changes nothing and a conflict: the first is stored, the second is not", async () => {
    await tagOf("same", "S");
    const same = () => put("same", { name: "S" }, { "idempotency-key": "same" });
    expect((await same()).headers).toMatchObject({ etag: '"1"' });
    const later = { "if-match": '"2"', "idempotency-key": "later" };
    expect((await put("same", { name: "Later" }, later)).status).toBe(412);
    await put("same", { name: "Between" });
    expect((await same()).headers).toMatchObject({ etag: '"1"', "idempotent-replayed": "true" });
    expect((await put("same", { name: "Later" }, later)).headers).toMatchObject({ etag: '"3"' });
  });
});
