import { describe, expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";

const { keys, rest: call, service } = await startGraphql();

type Headers = Readonly<Record<string, string>>;
const put = (id: string, fields: object, headers: Headers = {}) =>
  call("PUT", { user_group_id: id, ...fields }, undefined, headers);
const get = (id: string, name?: string) => call("GET", { user_group_id: id, name });
const tagOf = async (id: string, name?: string) => String((await get(id, name)).headers["etag"]);
/** The tag of another version of the group with that tag. */
const withVersion = (etag: string, version: number) => etag.replace(/-\d+/, `-${version}`);

/** The changes of a group: each fails or succeeds as a whole by its precondition. */
const CHANGES: Readonly<Record<string, (id: string, token: string, headers: Headers) => Promise<RestReply>>> =
  {
    PUT: (id, _, headers) => put(id, { name: "Changed" }, headers),
    "PUT of a mapping": (id, _, headers) => put(id, { mapping: { a: "sales" } }, headers),
    POST: (_, current_token, headers) => call("POST", { current_token }, undefined, headers),
    DELETE: (_, current_token, headers) => call("DELETE", { current_token }, undefined, headers),
    "DELETE with a guard": (user_group_id, current_token, headers) =>
      call("DELETE", { current_token, user_group_id }, undefined, headers),
  };
const KINDS = Object.keys(CHANGES);
const change = (kind: string, id: string, token: string, headers: Headers = {}) => {
  const send = CHANGES[kind];
  if (!send) throw new Error(`There is no ${kind}.`);
  return send(id, token, headers);
};

/** Creates a group and changes it once. */
async function createChanged(id: string) {
  const { team_id, token } = userGroupOf(await get(id, "One"));
  await put(id, { name: "Two" });
  return { team_id, token, etag: `"${team_id}-2"` };
}

/** Everything that a change could change. */
const stateOf = (id: number) =>
  service.query(
    `SELECT user_group.*, (SELECT count(*) FROM audit_entry WHERE subject_id = user_group.id) AS entries,
      (SELECT count(*) FROM mapping_entry WHERE user_group_id = user_group.id) AS mapping
    FROM user_group WHERE id = $1`,
    [id],
  );

test("replies of GET, PUT and POST have the internal ID and the version as a strong ETag", async () => {
  const created = await call("GET", { user_group_id: "tagged", name: "T", mapping: { a: "sales" } });
  const { team_id } = userGroupOf(created);
  const etag = (version: number) => `"${team_id}-${version}"`;
  expect(created).toMatchObject({ status: 200, headers: { etag: etag(1) } });
  expect(await tagOf("tagged")).toBe(etag(1));
  const steps: readonly (readonly [object, number])[] = [
    [{}, 1],
    [{ name: "T", mapping: { a: "sales" } }, 1],
    [{ name: "New" }, 2],
    [{ mapping: null }, 3],
  ];
  for (const [fields, version] of steps)
    expect(await put("tagged", fields)).toMatchObject({ status: 200, headers: { etag: etag(version) } });
  const { token } = userGroupOf(await put("tagged", {}));
  const rotated = await call("POST", { current_token: token });
  expect(rotated.headers).toMatchObject({ etag: etag(4) });
  expect(await tagOf("tagged")).toBe(etag(4));
  // The caller's own rotation is no conflict with the next change.
  expect(
    (await put("tagged", { name: "Next" }, { "if-match": String(rotated.headers["etag"]) })).status,
  ).toBe(200);
  const next = userGroupOf(rotated).token;
  expect((await call("DELETE", { current_token: next })).headers).not.toHaveProperty("etag");
});

const ANOTHER = "an expected one";
/** Values of If-Match by what they mean for a group at version 2. Its ID stands for ID, that of another group for OTHER. */
const IF_MATCH: readonly (readonly [ifMatch: string, outcome: string])[] = [
  ['"ID-2"', "holds"],
  ["*", "holds"],
  ['"ID-1", "ID-2"', "holds"],
  ['"ID-1" ,\t"a,b", "ID-2"', "holds"],
  ['W/"ID-2"', "holds"],
  ['"ID-2-gzip"', "holds"],
  ['W/"ID-2-br"', "holds"],
  ['"ID-2",', "holds"],
  [', ,"ID-2" , ,', "holds"],
  ['"ID-1"', "1"],
  ['W/"ID-1"', "1"],
  ['"ID-1-gzip"', "1"],
  ['"ID-1", "ID-3"', ANOTHER],
  ['"OTHER-2"', "another group"],
  ['"OTHER-1", "OTHER-2"', "another group"],
  ['"OTHER-2", "ID-1"', ANOTHER],
  ['"2"', ANOTHER],
  ['""', ANOTHER],
  ['"ID-02"', ANOTHER],
  ['"0ID-2"', ANOTHER],
  ['"ID-2-3"', ANOTHER],
  ['"ID-2-zip"', ANOTHER],
  ['"ID-2-gzip-gzip"', ANOTHER],
  ['"ID--2"', ANOTHER],
  ["2", "is malformed"],
  ["ID-2", "is malformed"],
  ["", "is malformed"],
  [",", "is malformed"],
  [" , ,, ", "is malformed"],
  ['"ID-2', "is malformed"],
  ['"ID-2", "', "is malformed"],
  ['"ID-1" "ID-2"', "is malformed"],
  ['*, "ID-2"', "is malformed"],
  ['"ID-2", *', "is malformed"],
  ['w/"ID-2"', "is malformed"],
  ['W/ "ID-2"', "is malformed"],
];

/** All changes share one parser: PUT shows every value, the others each outcome. */
const SHARED = ['"ID-2"', "*", '"ID-1"', '"OTHER-2"', '"ID-2'];
const valuesFor = (kind: string) => IF_MATCH.filter(([value]) => kind === "PUT" || SHARED.includes(value));

describe.each(KINDS)("%s", (kind) => {
  test.each(valuesFor(kind))("with If-Match: %s at version 2: %s", async (template, outcome) => {
    const id = `${kind} ${template}`;
    const { team_id, token } = await createChanged(id);
    const { team_id: other } = userGroupOf(await get("other", "Other"));
    const ifMatch = template.replaceAll("ID", String(team_id)).replaceAll("OTHER", String(other));
    const before = await stateOf(team_id);
    const reply = await change(kind, id, token, { "if-match": ifMatch });
    const field = "If-Match";
    if (outcome === "holds") {
      expect(reply.status).toBe(200);
      expect(await stateOf(team_id)).not.toEqual(before);
      return;
    }
    if (outcome === "is malformed") {
      const message = "If-Match must be entity tags in quotes, as in an ETag, or *.";
      expectError(reply, 400, { code: "invalid_field", message, field });
    } else {
      const message =
        outcome === "another group"
          ? "The version is that of another user group, such as one with the same ID that was deleted. Read the user group again and repeat the change."
          : `The user group has version 2, not ${outcome}. Read it again and repeat the change.`;
      expectError(reply, 412, { code: "version_conflict", message, field });
    }
    expect(await stateOf(team_id)).toEqual(before);
  });

  test.each([
    ["*", {}, 412, "version_conflict", "The user group exists."],
    [
      "*",
      { "if-match": "*" },
      400,
      "invalid_field",
      "If-None-Match must not be sent together with If-Match.",
    ],
    ['"1-2"', {}, 400, "invalid_field", "If-None-Match must be * for a change."],
    ['W/"1-2", *', {}, 400, "invalid_field", "If-None-Match must be * for a change."],
    ["", {}, 400, "invalid_field", "If-None-Match must be * for a change."],
  ] as const)("with If-None-Match: %s and %j is %i", async (ifNoneMatch, others, status, code, message) => {
    const id = `${kind} none ${ifNoneMatch} ${status}`;
    const { team_id, token } = await createChanged(id);
    const before = await stateOf(team_id);
    const reply = await change(kind, id, token, { "if-none-match": ifNoneMatch, ...others });
    expectError(reply, status, { code, message, field: "If-None-Match" });
    expect(await stateOf(team_id)).toEqual(before);
  });

  test("of a missing group is 404, whatever the precondition", async () => {
    for (const [name, value] of [
      ["if-match", "*"],
      ["if-match", '"1-1"'],
      ["if-none-match", "*"],
    ] as const) {
      const reply = await change(kind, "nobody", "ugt_none", { [name]: value });
      expect(reply).toMatchObject({ status: 404, body: { error: { code: "user_group_not_found" } } });
    }
  });

  test("a tag does not survive deletion and creation", async () => {
    const id = `${kind} again`;
    const first = userGroupOf(await get(id, "A"));
    const etag = await tagOf(id);
    await call("DELETE", { current_token: first.token });
    const { team_id, token } = userGroupOf(await get(id, "A"));
    const before = await stateOf(team_id);
    expect((await change(kind, id, token, { "if-match": etag })).status).toBe(412);
    expect(await stateOf(team_id)).toEqual(before);
    expect((await change(kind, id, token, { "if-match": await tagOf(id) })).status).toBe(200);
  });

  test("lets one of many concurrent changes of a version through", async () => {
    const id = `${kind} raced`;
    const { token, etag } = await createChanged(id);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        kind === "PUT"
          ? put(id, { name: `${index}` }, { "if-match": etag })
          : kind === "PUT of a mapping"
            ? put(id, { mapping: { [`${index}`]: "sales" } }, { "if-match": etag })
            : change(kind, id, token, { "if-match": etag }),
      ),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // After the first rotation or deletion, the token is unknown.
    expect(new Set(statuses.filter((status) => status !== 200))).toEqual(
      new Set([kind.startsWith("PUT") ? 412 : 404]),
    );
  });

  test("that waited for another change of the group compares its tag with the new version", async (context) => {
    skipOnCitus(context, "locks");
    const id = `${kind} waited`;
    const { team_id, token, etag } = await createChanged(id);
    const update = "UPDATE user_group SET version = version + 1, name = 'Three' WHERE id = $1";
    const held = await holdTransaction(service, update, [team_id]);
    const late = change(kind, id, token, { "if-match": etag });
    await held.untilAwaited();
    await held.commit();
    expect(await late).toMatchObject({
      status: 412,
      body: {
        error: {
          message: "The user group has version 3, not 2. Read it again and repeat the change.",
          field: "If-Match",
        },
      },
    });
    expect(await get(id)).toMatchObject({ status: 200, headers: { etag: withVersion(etag, 3) } });
  });
});

test("PUT checks If-Match before anything else of an existing group, also if nothing would change", async () => {
  const etag = await tagOf("unchanged", "U");
  for (const fields of [{ name: "U" }, {}, { mapping: { a: "nowhere" } }]) {
    expect(await put("unchanged", fields, { "if-match": withVersion(etag, 2) })).toMatchObject({
      status: 412,
    });
  }
  const reply = await put("unchanged", { name: "U" }, { "if-match": etag });
  expect(reply).toMatchObject({ status: 200, headers: { etag } });
});

test("DELETE checks If-Match before its guards", async () => {
  const { token, etag } = await createChanged("guarded");
  const guarded = { current_token: token, user_group_id: "other", data_source_provided_id: "sales" };
  const remove = (ifMatch: string) => call("DELETE", guarded, undefined, { "if-match": ifMatch });
  expect((await remove(withVersion(etag, 1))).status).toBe(412);
  expect((await remove(etag)).status).toBe(409);
});

test("GET ignores preconditions: its replies are not cached", async () => {
  const etag = await tagOf("read", "R");
  for (const name of ["if-match", "if-none-match"])
    for (const value of ["x", "*", '"1-7"', etag])
      expect(await call("GET", { user_group_id: "read" }, undefined, { [name]: value })).toMatchObject({
        status: 200,
        headers: { "cache-control": "no-store", etag },
      });
});

test.each(["If-Match", "If-None-Match"])(
  "an embed session refuses %s, which it could only ignore",
  async (field) => {
    await get("embedded", "E");
    const headers = { [field.toLowerCase()]: "*" };
    const body = { user_group_id: "embedded" };
    const reply = await callRest(`${service.url}/api/embed-session`, "POST", keys.admin, body, headers);
    expectError(reply, 400, {
      code: "invalid_field",
      message: `${field} is not supported by this operation.`,
      field,
    });
  },
);

describe("PUT with an Idempotency-Key", () => {
  const TEXT = '{"b":1.0,"10":12345678901234567890}';
  const send = (id: string, headers: Headers, properties = TEXT) =>
    call("PUT", `{"user_group_id":"${id}","properties":${properties}}`, undefined, headers);

  test("repeats the reply with its ETag, though the group has changed since", async () => {
    const etag = await tagOf("kept", "K");
    const headers = { "if-match": etag, "idempotency-key": "kept" };
    const first = await send("kept", headers);
    expect(first).toMatchObject({ status: 200, headers: { etag: withVersion(etag, 2) } });
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    await put("kept", { properties: null });
    const again = await send("kept", headers);
    expect(again).toMatchObject({
      status: 200,
      headers: { etag: withVersion(etag, 2), "idempotent-replayed": "true" },
    });
    expect(again.body).toEqual(first.body);
    expect(await tagOf("kept")).toBe(withVersion(etag, 3));
    // Without the key, the retry conflicts with its own change.
    expect(await send("kept", { "if-match": etag })).toMatchObject({ status: 412 });
  });

  test.each<readonly [string, Headers, string]>([
    ["another If-Match", { "if-match": '"7-1", TAG' }, TEXT],
    ["no If-Match", { "if-match": "" }, TEXT],
    ["any If-Match", { "if-match": "*" }, TEXT],
    ["another media type", { "content-type": "application/merge-patch+json" }, TEXT],
    ["another number", {}, TEXT.replace("7890", "7891")],
    ["another order of the keys", {}, '{"10":12345678901234567890,"b":1.0}'],
  ])("%s is another request", async (what, headers, properties) => {
    const etag = await tagOf(what, "A");
    const sent = (more: Headers) => {
      const { "if-match": ifMatch = "", ...others } = { "if-match": "TAG", "idempotency-key": what, ...more };
      return ifMatch === "" ? others : { ...others, "if-match": ifMatch.replace("TAG", etag) };
    };
    expect((await send(what, sent({}))).status).toBe(200);
    expect(await send(what, sent(headers), properties)).toMatchObject({
      status: 422,
      body: { error: { code: "idempotency_mismatch" } },
    });
  });

  test("a write that changes nothing and a conflict: the first is stored, the second is not", async () => {
    const etag = await tagOf("same", "S");
    const same = () => put("same", { name: "S" }, { "idempotency-key": "same" });
    expect((await same()).headers).toMatchObject({ etag });
    const later = { "if-match": withVersion(etag, 2), "idempotency-key": "later" };
    expect((await put("same", { name: "Later" }, later)).status).toBe(412);
    await put("same", { name: "Between" });
    expect((await same()).headers).toMatchObject({ etag, "idempotent-replayed": "true" });
    expect((await put("same", { name: "Later" }, later)).headers).toMatchObject({
      etag: withVersion(etag, 3),
    });
  });
});

describe.each(["POST", "DELETE"])("%s with an Idempotency-Key", (method) => {
  test("is another request with another If-Match, and repeats its reply with the ETag", async () => {
    const { token, etag } = await createChanged(`${method} once`);
    const send = (headers: Headers) =>
      change(method, "", token, { "idempotency-key": `${method} once`, ...headers });
    const stale = { "if-match": withVersion(etag, 1) };
    expect((await send(stale)).status).toBe(412);
    const first = await send({ "if-match": etag });
    expect(first.status).toBe(200);
    if (method === "POST") expect(first.headers).toMatchObject({ etag: withVersion(etag, 3) });
    const again = await send({ "if-match": etag });
    expect(again).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } });
    expect([again.body, again.headers["etag"]]).toEqual([first.body, first.headers["etag"]]);
    for (const other of [stale, {}, { "if-match": "*" }, { "if-none-match": "*" }])
      expect(await send(other)).toMatchObject({
        status: 422,
        body: { error: { code: "idempotency_mismatch" } },
      });
  });
});
