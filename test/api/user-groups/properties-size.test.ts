import { describe, expect, test } from "vitest";
import { MAX_PROPERTIES_BYTES } from "../../../src/domain/user-groups/properties.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();

/** Properties of exactly this many bytes as JSON text, made of one character. */
function propertiesOf(bytes: number, character: string): object {
  const room = bytes - Buffer.byteLength('{"p":""}');
  const size = Buffer.byteLength(character);
  const properties = { p: character.repeat(Math.floor(room / size)) + "x".repeat(room % size) };
  expect(Buffer.byteLength(JSON.stringify(properties))).toBe(bytes);
  return properties;
}

const code = (payload: { readonly userErrors: readonly { readonly code: string }[] }) =>
  payload.userErrors[0]?.code ?? "ok";

async function rest(method: string, id: string, properties: object): Promise<string> {
  const { service, keys } = graphql();
  const body = { user_group_id: id, name: id, properties };
  const reply = Object((await callRest(`${service.url}/api/user`, method, keys.admin, body)).body);
  return reply.success === 1 ? "ok" : `${reply.error.code} ${reply.error.field}`.toUpperCase();
}

/** Every way to write properties. */
const WAYS: Readonly<Record<string, (id: string, properties: object) => Promise<string>>> = {
  "REST GET": (id, properties) => rest("GET", id, properties),
  async "REST PUT"(id, properties) {
    await rest("GET", id, {});
    return rest("PUT", id, properties);
  },
  async createUserGroup(providedId, properties) {
    const query = `mutation ($input: CreateUserGroupInput!) { createUserGroup(input: $input) { userErrors { code } } }`;
    const input = { providedId, name: "x", properties };
    return code((await graphql().run(query, { input })).createUserGroup);
  },
  async updateUserGroup(providedId, properties) {
    await rest("GET", providedId, {});
    const query = `mutation ($input: UpdateUserGroupInput!) { updateUserGroup(input: $input) { userErrors { code } } }`;
    return code((await graphql().run(query, { input: { by: { providedId }, properties } })).updateUserGroup);
  },
  async upsertUserGroups(providedId, properties) {
    const query = `mutation ($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { code } } }`;
    const input = { userGroups: [{ providedId, name: "x", properties }] };
    return code((await graphql().run(query, { input })).upsertUserGroups);
  },
};

describe.each(Object.entries(WAYS))("%s", (way, write) => {
  test.each(["x", "é", "🙂"])("takes 65,536 bytes of %s, not one more", async (character) => {
    expect(MAX_PROPERTIES_BYTES).toBe(65_536);
    expect(await write(`${way} ${character}`, propertiesOf(65_536, character))).toBe("ok");
    const beyond = await write(`${way} ${character} beyond`, propertiesOf(65_537, character));
    expect(beyond).toMatch(/^INVALID_FIELD( PROPERTIES)?$/);
  });
});
