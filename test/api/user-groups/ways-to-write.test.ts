import { afterAll, describe, expect, test } from "vitest";
import { MAX_PROPERTIES_BYTES } from "../../../src/domain/user-groups/properties.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { entry } from "../../support/graphql/user-group-operations.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const graphql = await startGraphql();
afterAll(() => expectDerivedColumns(graphql.service));
const { run } = graphql;

/** What a group is written with. */
interface Values {
  readonly properties?: object;
  /** The data source of the schema `s`. */
  readonly source?: string;
}

/** @returns "ok", or code and field of the error */
async function rest(method: string, id: string, { properties, source }: Values = {}): Promise<string> {
  const mapping = source === undefined ? undefined : { s: source };
  const body = { user_group_id: id, name: id, properties, mapping };
  const { success, error } = Object((await graphql.rest(method, body)).body);
  return success === 1 ? "ok" : `${error.code} ${error.field}`;
}

async function mutate(name: string, input: object): Promise<string> {
  const [error] = (await graphql.mutate(name, input)).userErrors;
  return error ? `${error.code.toLowerCase()} ${error.field.at(-1)}` : "ok";
}

const inputOf = ({ properties, source }: Values) => ({
  properties,
  ...(source === undefined ? {} : { mapping: [entry("s", source)] }),
});
const creating = (name: string) => (providedId: string, values: Values) =>
  mutate(name, { providedId, name: "x", ...inputOf(values) });
/** Creates the group first. */
const changing =
  (change: (providedId: string, values: Values) => Promise<string>) =>
  async (providedId: string, values: Values) => {
    expect(await rest("GET", providedId)).toBe("ok");
    return change(providedId, values);
  };

/** Every way to write properties and mappings of a group. */
const WAYS: Readonly<Record<string, (id: string, values: Values) => Promise<string>>> = {
  "REST GET": (id, values) => rest("GET", id, values),
  "REST PUT": changing((id, values) => rest("PUT", id, values)),
  createUserGroup: creating("createUserGroup"),
  getOrCreateUserGroup: creating("getOrCreateUserGroup"),
  upsertUserGroups: (providedId, values) =>
    mutate("upsertUserGroups", { userGroups: [{ providedId, name: "x", ...inputOf(values) }] }),
  updateUserGroup: changing((providedId, values) =>
    mutate("updateUserGroup", { by: { providedId }, ...inputOf(values) }),
  ),
};
/** Those of mappings only. */
const MAPPING_WAYS: typeof WAYS = {
  ...WAYS,
  setUserGroupMapping: changing((providedId, { source }) =>
    mutate("setUserGroupMapping", { by: { providedId }, schemaId: "s", dataSource: source }),
  ),
  replaceUserGroupMapping: changing((providedId, values) =>
    mutate("replaceUserGroupMapping", { by: { providedId }, ...inputOf(values) }),
  ),
};

async function createSource(providedId: string, name: string): Promise<string> {
  const input = { providedId, name };
  const { dataSource } = await graphql.mutate("createDataSource", input, "dataSource { dataSourceId }");
  return String(dataSource.dataSourceId);
}

/** The external ID of "Named" is the internal ID of "Numbered". */
const reference = await createSource("numbered", "Numbered");
/** The internal ID of "Named", which no external ID equals. */
const internal = await createSource(reference, "Named");

describe.each(Object.entries(MAPPING_WAYS))("%s", (way, write) => {
  test.each([
    ["an external ID before an internal one", reference, "Named"],
    ["an internal ID that is no external one", internal, "Named"],
    ["an external ID that is no number", "numbered", "Numbered"],
  ])("takes a data source for %s", async (kind, source, name) => {
    const providedId = `${way} ${kind}`;
    expect(await write(providedId, { source })).toBe("ok");
    const { userGroup } = await run(
      "query ($id: String!) { userGroup(by: { providedId: $id }) { mapping { dataSource { name } } } }",
      { id: providedId },
    );
    expect(userGroup).toEqual({ mapping: [{ dataSource: { name } }] });
  });
});

/** Properties of exactly this many bytes as JSON text, made of one character. */
function propertiesOf(bytes: number, character: string): object {
  const room = bytes - Buffer.byteLength('{"p":""}');
  const size = Buffer.byteLength(character);
  const properties = { p: character.repeat(Math.floor(room / size)) + "x".repeat(room % size) };
  expect(Buffer.byteLength(JSON.stringify(properties))).toBe(bytes);
  return properties;
}

describe.each(Object.entries(WAYS))("%s", (way, write) => {
  test.each(["x", "é", "🙂"])("takes 65,536 bytes of %s, not one more", async (character) => {
    expect(MAX_PROPERTIES_BYTES).toBe(65_536);
    const writeBytes = (bytes: number) =>
      write(`${way} ${character} ${bytes}`, { properties: propertiesOf(bytes, character) });
    expect(await writeBytes(65_536)).toBe("ok");
    expect(await writeBytes(65_537)).toBe("invalid_field properties");
  });
});
