import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const MAPPING = "mapping { dataSource { name } }";
/** The external ID of "Named" is the internal ID of "Numbered". */
let reference: string;
/** The internal ID of "Named", which no external ID equals. */
let internal: string;

beforeAll(async () => {
  const create = async (providedId: string, name: string) => {
    const { createDataSource } = await graphql().run(
      `mutation ($providedId: String!, $name: String!) {
        createDataSource(input: { providedId: $providedId, name: $name }) { dataSource { dataSourceId } }
      }`,
      { providedId, name },
    );
    return String(createDataSource.dataSource.dataSourceId);
  };
  reference = await create("numbered", "Numbered");
  internal = await create(reference, "Named");
});

async function rest(method: string, body: object) {
  const { service, keys } = graphql();
  expect(await callRest(`${service.url}/api/user`, method, keys.admin, body)).toMatchObject({ status: 200 });
}

async function mutate(name: string, input: object, selection: string) {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} userErrors { code message } } }`;
  expect((await graphql().run(query, { input }))[name].userErrors).toEqual([]);
}

/** Every way to map a schema of a group to a data source. */
const WAYS: Readonly<Record<string, (providedId: string, dataSource: string) => Promise<void>>> = {
  "REST GET": (id, s) => rest("GET", { user_group_id: id, name: id, mapping: { s } }),
  async "REST PUT"(id, s) {
    await rest("GET", { user_group_id: id, name: id });
    await rest("PUT", { user_group_id: id, mapping: { s } });
  },
  createUserGroup: (providedId, dataSource) =>
    mutate(
      "createUserGroup",
      { providedId, name: "x", mapping: [{ schemaId: "s", dataSource }] },
      "__typename",
    ),
  getOrCreateUserGroup: (providedId, dataSource) =>
    mutate(
      "getOrCreateUserGroup",
      { providedId, name: "x", mapping: [{ schemaId: "s", dataSource }] },
      "isNew",
    ),
  upsertUserGroups: (providedId, dataSource) =>
    mutate(
      "upsertUserGroups",
      { userGroups: [{ providedId, name: "x", mapping: [{ schemaId: "s", dataSource }] }] },
      "results { isNew }",
    ),
  async updateUserGroup(providedId, dataSource) {
    await rest("GET", { user_group_id: providedId, name: "x" });
    const mapping = [{ schemaId: "s", dataSource }];
    await mutate("updateUserGroup", { by: { providedId }, mapping }, "__typename");
  },
  async setUserGroupMapping(providedId, dataSource) {
    await rest("GET", { user_group_id: providedId, name: "x" });
    await mutate("setUserGroupMapping", { by: { providedId }, schemaId: "s", dataSource }, "__typename");
  },
  async replaceUserGroupMapping(providedId, dataSource) {
    await rest("GET", { user_group_id: providedId, name: "x" });
    const mapping = [{ schemaId: "s", dataSource }];
    await mutate("replaceUserGroupMapping", { by: { providedId }, mapping }, "__typename");
  },
};

describe.each(Object.entries(WAYS))("%s", (way, map) => {
  test.each([
    ["an external ID before an internal one", () => reference, "Named"],
    ["an internal ID that is no external one", () => internal, "Named"],
    ["an external ID that is no number", () => "numbered", "Numbered"],
  ])("takes a data source for %s", async (kind, source, name) => {
    const providedId = `${way} ${kind}`;
    await map(providedId, source());
    const { userGroup } = await graphql().run(
      `query ($providedId: String!) { userGroup(by: { providedId: $providedId }) { ${MAPPING} } }`,
      { providedId },
    );
    expect(userGroup).toEqual({ mapping: [{ dataSource: { name } }] });
  });
});
