import { describe, expect, test } from "vitest";
import { EMBED_SESSION_OPERATIONS } from "../../../src/rest/embed-sessions.js";
import { USER_OPERATIONS } from "../../../src/rest/user-groups.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";

const { keys, rest: call, service } = await startGraphql();

/** A value of a field, undefined if absent, and the end of the message; null if the value is accepted. */
type Row = readonly [value: unknown, rule: string | null, path?: string];

const NO_TEXT: readonly Row[] = [
  [5, "must be a string"],
  [["x"], "must be a string"],
  ["", "must not be empty"],
  ["x".repeat(256), "must be at most 255 characters long"],
  ["🙂".repeat(256), "must be at most 255 characters long"],
  ["a\u0000b", "must not contain the character U+0000"],
  ["\ud800", "must not contain an unpaired surrogate"],
];
const NULL: Row = [null, "must be a string"];
const REQUIRED: readonly Row[] = [[undefined, "is required"], NULL, ...NO_TEXT];
/** A guard that is null must not be taken for an absent one (decision 9). */
const GUARD: readonly Row[] = [[null, "must not be null; omit it to skip the check"], ...NO_TEXT];
const TOKEN: readonly Row[] = [
  NULL,
  [5, "must be a string"],
  [["x"], "must be a string"],
  ["", "must not be empty"],
];
const NO_OBJECT: readonly Row[] = [5, "x", [], true].map((value) => [value, "must be a JSON object or null"]);
const DEEP = JSON.parse(`${'{"a":'.repeat(16)}{}${"}".repeat(16)}`);
const PROPERTIES: readonly Row[] = [
  [null, null],
  ...NO_OBJECT,
  [{ a: { b: "\u0000" } }, "must not contain the character U+0000", "properties.a.b"],
  [DEEP, "must be nested at most 16 levels deep", `properties${".a".repeat(16)}`],
  [{ a: "x".repeat(65_529) }, "must be at most 65536 bytes of JSON"],
];
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`schema ${index}`, "sales"]));
const MAPPING: readonly Row[] = [
  [null, null],
  ...NO_OBJECT,
  ...REQUIRED.slice(1).map(([value, rule]): Row => [{ main: value }, rule, "mapping.main"]),
  [{ "": "sales" }, "must not be empty", "mapping."],
  [entries(1001), "must have at most 1000 entries"],
];

const byId = () => ({ user_group_id: "nulls" });
const byToken = (current_token: string) => ({ current_token });
const NO_ROTATION =
  "is required: POST rotates a token. To get or create a user group, send GET with a body, or use the GraphQL mutation `getOrCreateUserGroup` if your client cannot";

const NO_GROUP = "is required: no user group has this ID. Send `name` as well to create it";

/** A valid body by operation, and the values of each of its fields. */
const OPERATIONS = {
  "GET /api/user": {
    operation: USER_OPERATIONS.get,
    // Fields of an existing group other than its ID are ignored.
    body: (_: string, rule: string | null) => (rule ? { user_group_id: "new", name: "New" } : byId()),
    fields: {
      user_group_id: REQUIRED,
      name: [[undefined, NO_GROUP], NULL, ...NO_TEXT],
      properties: PROPERTIES,
      mapping: MAPPING,
    },
  },
  "PUT /api/user": {
    operation: USER_OPERATIONS.put,
    body: byId,
    fields: { user_group_id: REQUIRED, name: [NULL, ...NO_TEXT], properties: PROPERTIES, mapping: MAPPING },
  },
  "POST /api/user": {
    operation: USER_OPERATIONS.post,
    body: () => ({ ...byId(), name: "Turned into POST" }),
    fields: { current_token: [[undefined, NO_ROTATION], ...TOKEN] },
  },
  "DELETE /api/user": {
    operation: USER_OPERATIONS.delete,
    body: byToken,
    fields: {
      current_token: [[undefined, "is required"], ...TOKEN],
      user_group_id: GUARD,
      data_source_provided_id: GUARD,
    },
  },
  "POST /api/embed-session": {
    operation: EMBED_SESSION_OPERATIONS.post,
    body: (token: string, _: string | null, field: string) =>
      field === "current_token" || field === "user_group_id" ? {} : byToken(token),
    fields: {
      user_group_id: [[undefined, "is required, or `current_token` instead"], NULL, ...NO_TEXT],
      current_token: TOKEN,
      expires_in: [
        [null, null],
        ...[59, 86_401, 60.5, "60"].map((value): Row => [value, "must be a whole number from 60 to 86400"]),
      ],
      variables: [
        [null, null],
        ...NO_OBJECT,
        [DEEP, "must be nested at most 16 levels deep", `variables${".a".repeat(16)}`],
        [{ a: "ü".repeat(2045) }, "must be at most 4096 bytes of JSON"],
      ],
    },
  },
} satisfies Readonly<Record<string, Operation>>;

interface Operation {
  readonly operation: { readonly request: { readonly shape: object } };
  readonly body: (token: string, rule: string | null, field: string) => object;
  readonly fields: Readonly<Record<string, readonly Row[]>>;
}

const CASES = Object.entries<Operation>(OPERATIONS).flatMap(([name, { body, fields }]) =>
  Object.entries(fields).map(([field, rows]) => [name, field, rows, body] as const),
);

const { token } = userGroupOf(await call("GET", { user_group_id: "nulls", name: "Nulls" }));

/** Calls an operation. @returns the reply, after a check that it changed no user group */
async function callUnchanged(operation: string, body: unknown, headers: Record<string, string> = {}) {
  const [method = "", path = ""] = operation.split(" ");
  const state = () => service.query("SELECT id, name, version, token_lookup FROM user_group ORDER BY id");
  const before = await state();
  const reply = await callRest(`${service.url}${path}`, method, keys.admin, body, headers);
  expect(await state()).toEqual(before);
  return reply;
}

test.each(Object.entries<Operation>(OPERATIONS))("%s: each field has a row", (_, { operation, fields }) => {
  expect(Object.keys(fields)).toEqual(Object.keys(operation.request.shape));
});

test.each(CASES)("%s: %s", async (operation, field, rows, body) => {
  for (const [value, rule, path = field] of rows) {
    const reply = await callUnchanged(operation, { ...body(token, rule, field), [field]: value });
    if (rule === null) expect(reply.body).toMatchObject({ success: 1 });
    else expectError(reply, 400, { code: "invalid_field", message: `${path} ${rule}.`, field: path });
  }
});

test.each([
  ["GET /api/user", { user_group_id: "nulls", name: "Another" }],
  ["PUT /api/user", { user_group_id: "nulls", name: "Nulls" }],
  ["POST /api/user", { current_token: "ugt_unknown" }],
  ["DELETE /api/user", { current_token: "ugt_unknown" }],
  ["POST /api/embed-session", { user_group_id: "nulls" }],
])("%s: Prefer: handling=strict refuses unknown fields and names each", async (operation, body) => {
  const others = '"propertys":1,"expected_version":2,"__proto__":3,"toString":4}';
  const unknown = JSON.stringify(body).replace(/\}$/, `,${others}`);
  const isKnown = JSON.stringify(body).includes("nulls");
  const call = (sent: unknown, prefer: string) => callUnchanged(operation, sent, { prefer });
  for (const prefer of [
    "handling=strict",
    'wait=10, HANDLING = "strict"; a="b,c"',
    'x="handling=lenient, \\"", handling=strict, handling=lenient',
  ]) {
    const reply = await call(unknown, prefer);
    const fields = ["propertys", "expected_version", "__proto__", "toString"].map((field) => ({
      field,
      message: `${field} is not a field of this operation${
        field === "propertys" && ["GET /api/user", "PUT /api/user"].includes(operation)
          ? "; it may be meant as `properties`"
          : ""
      }.`,
    }));
    expectError(reply, 400, {
      code: "invalid_field",
      field: "propertys",
      message: fields[0]?.message,
      fields,
    });
    expect(reply.headers).toMatchObject({ "preference-applied": "handling=strict" });
    expect(await call(body, prefer)).toMatchObject({
      status: isKnown ? 200 : 404,
      headers: { "preference-applied": "handling=strict" },
    });
  }
  for (const prefer of [
    "handling=lenient",
    "handling=lenient, handling=strict",
    'x="handling=strict"',
    "strict",
  ]) {
    const { status, headers } = await call(unknown, prefer);
    expect(status, prefer).toBe(isKnown ? 200 : 404);
    expect(headers).not.toHaveProperty("preference-applied");
  }
});

describe("all invalid fields are reported, headers first", () => {
  const three = { name: "", properties: [], mapping: { a: 1, b: "sales", c: "" } };
  const object = "must be a JSON object or null";
  const rules = {
    name: "must not be empty",
    properties: object,
    "mapping.a": "must be a string",
    "mapping.c": "must not be empty",
  };
  const header = "must be 1 to 255 printable ASCII characters";
  const token = "is required";
  test.each<readonly [string, Record<string, string>, object | string, Record<string, string>]>([
    ["GET /api/user", {}, { user_group_id: "new", ...three }, rules],
    // Without an ID, it is unknown whether the group exists and needs a name.
    ["GET /api/user", {}, { properties: 1 }, { user_group_id: token, properties: object }],
    ["GET /api/user", {}, '{"properties":{"a":1e400}}', { user_group_id: token }],
    [
      "GET /api/user",
      {},
      { mapping: [], name: "", user_group_id: "new" },
      { name: rules.name, mapping: object },
    ],
    ["PUT /api/user", {}, { ...three, user_group_id: "" }, { user_group_id: rules.name, ...rules }],
    [
      "PUT /api/user",
      { "idempotency-key": "", "if-match": "7" },
      { ...three, user_group_id: "x" },
      {
        "Idempotency-Key": header,
        "If-Match": "must be entity tags in quotes, as in an ETag, or *",
        ...rules,
      },
    ],
    [
      "PUT /api/user",
      { prefer: "handling=strict" },
      '{"user_group_id":"x","name":"","nam":1,"properties":{"a":1e400}}',
      { name: rules.name, nam: "is not a field of this operation; it may be meant as `name`" },
    ],
    [
      "POST /api/user",
      { "idempotency-key": "ü" },
      {},
      { "Idempotency-Key": header, current_token: NO_ROTATION },
    ],
    ["POST /api/user", { "idempotency-key": "" }, { current_token: "x" }, { "Idempotency-Key": header }],
    [
      "DELETE /api/user",
      { "idempotency-key": "x".repeat(256) },
      {},
      { "Idempotency-Key": header, current_token: token },
    ],
    [
      "DELETE /api/user",
      {},
      { user_group_id: 1, data_source_provided_id: "" },
      {
        current_token: token,
        user_group_id: "must be a string",
        data_source_provided_id: "must not be empty",
      },
    ],
    [
      "POST /api/embed-session",
      {},
      { user_group_id: "x", current_token: "y", expires_in: 1, variables: 1 },
      {
        current_token: "must not be sent together with `user_group_id`",
        expires_in: "must be a whole number from 60 to 86400",
        variables: object,
      },
    ],
  ])("%s, %j, %j", async (operation, sent, body, errors) => {
    const headers = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, Buffer.from(value).toString("latin1")]),
    );
    const fields = Object.entries(errors).map(([field, rule]) => ({ field, message: `${field} ${rule}.` }));
    const [first = { field: "", message: "" }] = fields;
    const reply = await callUnchanged(operation, body, headers);
    expectError(reply, 400, { code: "invalid_field", ...first, fields });
  });
});

test("creates and returns a group at every limit", async () => {
  const source = "d".repeat(255);
  const input = { providedId: source, name: "Longest id" };
  const create = `mutation ($input: CreateDataSourceInput!) { createDataSource(input: $input) { userErrors { code } } }`;
  const created = await callGraphql(service.url, keys.admin, create, { input });
  expect(created.body).toEqual({ data: { createDataSource: { userErrors: [] } } });
  const schemas = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(255, "s"));
  const mapping = Object.fromEntries(schemas.map((schema) => [schema, source]));
  const longest = "🙂".repeat(255);
  const properties = { a: "x".repeat(65_528) };
  const reply = await call("GET", { user_group_id: longest, name: longest, mapping, properties });
  expect(reply.body).toMatchObject({
    success: 1,
    new_user_group: true,
    user_group: { name: longest, provided_id: longest, properties },
  });
  const { team_id } = userGroupOf(reply);
  const counted = `SELECT count(*)::integer AS entries FROM mapping_entry WHERE user_group_id = $1`;
  expect(await service.query(counted, [team_id])).toEqual([{ entries: 1000 }]);
  const deep = await call("PUT", { user_group_id: longest, properties: DEEP.a });
  expect(deep.body).toMatchObject({ user_group: { properties: DEEP.a } });
});

describe("an unknown field that may be meant by a required one that is absent", () => {
  const token = { token: "x" };
  test.each<readonly [method: string, path: string, body: object, field: string, sent: string | null]>([
    ["PUT", "/api/user", { provided_id: "a" }, "user_group_id", "provided_id"],
    ["PUT", "/api/user", { userGroupId: "a" }, "user_group_id", "userGroupId"],
    ["PUT", "/api/user", { id: "a" }, "user_group_id", "id"],
    ["PUT", "/api/user", { user_group: "a", user_groop_id: "a" }, "user_group_id", "user_groop_id"],
    ["GET", "/api/user", { ID: "a", name: "A" }, "user_group_id", "ID"],
    ["GET", "/api/user", { user_group_id: "near", displayName: "N" }, "name", "displayName"],
    ["POST", "/api/user", token, "current_token", "token"],
    ["POST", "/api/user", { currentToken: "x" }, "current_token", "currentToken"],
    ["DELETE", "/api/user", token, "current_token", "token"],
    ["POST", "/api/embed-session", { provided_id: "a" }, "user_group_id", "provided_id"],
    ["PUT", "/api/user", { properties: {}, other: 1 }, "user_group_id", null],
    ["PUT", "/api/user", { user_group_id: null, id: "a" }, "user_group_id", null],
  ])("%s %s with %o", async (method, path, body, field, sent) => {
    const reply = await callRest(`${service.url}${path}`, method, keys.admin, body);
    const { message, ...error } = Object(reply.body).error;
    expect(error).toMatchObject({ code: "invalid_field", field });
    if (sent === null) expect(message).not.toContain("is not a field");
    else expect(message).toMatch(new RegExp(`is required.*; .${sent}. is not a field of this operation\\.$`));
  });

  test("is also named where unknown fields are refused", async () => {
    const body = { userGroupId: "a", other: 1 };
    const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, body, {
      prefer: "handling=strict",
    });
    expect(Object(reply.body).error.fields.map(({ message }: { message: string }) => message)).toEqual([
      "user_group_id is required; `userGroupId` is not a field of this operation.",
      "userGroupId is not a field of this operation; it may be meant as `user_group_id`.",
      "other is not a field of this operation.",
    ]);
  });
});
