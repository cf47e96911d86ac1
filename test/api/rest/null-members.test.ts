import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../../src/http/openapi/document.js";
import { callRest } from "../../support/rest/rest-client.js";
import { useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

/** What a body becomes when one of its members is null: "accepted", or the field that the error names. */
interface NullRow {
  /** A valid body for the group "nulls" without the member. @param token of the group */
  readonly body: (token: string) => object;
  readonly outcome: string;
}

type Rows = Readonly<Record<string, NullRow>>;

const byId = () => ({ user_group_id: "nulls" });
const byToken = (current_token: string) => ({ current_token });
const newGroup = () => ({ user_group_id: "a new one", name: "New", properties: {}, mapping: {} });

/** Every member of the body of every request. A guard that is null must not be taken for an absent one (decision 9). */
const ROWS: Readonly<Record<string, Rows>> = {
  "GET /api/user": {
    user_group_id: { body: newGroup, outcome: "user_group_id" },
    name: { body: newGroup, outcome: "name" },
    properties: { body: byId, outcome: "accepted" },
    mapping: { body: byId, outcome: "accepted" },
  },
  "PUT /api/user": {
    user_group_id: { body: () => ({ name: "New" }), outcome: "user_group_id" },
    name: { body: byId, outcome: "name" },
    properties: { body: byId, outcome: "accepted" },
    mapping: { body: byId, outcome: "accepted" },
  },
  "POST /api/user": { current_token: { body: byId, outcome: "current_token" } },
  "DELETE /api/user": {
    current_token: { body: byId, outcome: "current_token" },
    user_group_id: { body: byToken, outcome: "user_group_id" },
    data_source_provided_id: { body: byToken, outcome: "data_source_provided_id" },
  },
  "POST /api/embed-session": {
    user_group_id: { body: byToken, outcome: "current_token" },
    current_token: { body: byId, outcome: "current_token" },
    expires_in: { body: byId, outcome: "accepted" },
    variables: { body: byId, outcome: "accepted" },
  },
};

/** The members of the JSON bodies in the OpenAPI document, by method and path. */
function documentedMembers(): Readonly<Record<string, readonly string[]>> {
  const { paths, components } = JSON.parse(JSON.stringify(openApiDocument("0.0.0")));
  const members: Record<string, string[]> = {};
  for (const [path, operations] of Object.entries<object>(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { $ref = "" } = operation.requestBody?.content["application/json"]?.schema ?? {};
      const { properties } = components.schemas[$ref.replace("#/components/schemas/", "")] ?? {};
      if (properties) members[`${method.toUpperCase()} ${path}`] = Object.keys(properties);
    }
  }
  return members;
}

test("every member of every body has a row", () => {
  const listed = Object.entries(ROWS).map(([of, rows]) => [of, Object.keys(rows)]);
  expect(Object.fromEntries(listed)).toEqual(documentedMembers());
});

describe.each(Object.entries(ROWS))("%s", (of, rows) => {
  const [method = "", path = ""] = of.split(" ");

  test.each(Object.entries(rows))("with null as %s", async (member, { body, outcome }) => {
    const { call, keys, service } = rest();
    const { token } = userGroupOf(await call("GET", { user_group_id: "nulls", name: "Nulls" }));
    const state = () => service.query("SELECT id, name, version, token_lookup FROM user_group ORDER BY id");
    const before = await state();
    const sent = { ...body(token), [member]: null };
    const reply = await callRest(`${service.url}${path}`, method, keys.admin, sent);
    const { success, error } = Object(reply.body);
    expect(success === 1 ? "accepted" : [reply.status, error.code, error.field]).toEqual(
      outcome === "accepted" ? outcome : [400, "invalid_field", outcome],
    );
    expect(await state()).toEqual(before);
  });
});
