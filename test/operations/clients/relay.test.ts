import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileForRelay, hasRelayCompiler } from "../../support/clients/relay-compiler.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql();
const LIST = "user-group-list.js";
const OPERATIONS = [
  "userGroupListDeleteMutation",
  "userGroupListItemQuery",
  "userGroupListPaginationQuery",
  "userGroupListRenameMutation",
  "userGroupListSubscription",
];

test.skipIf(!hasRelayCompiler)("relay-compiler compiles a paginated list, which loads more", async () => {
  const { run } = graphql();
  const { status, output, directory, textOf } = await compileForRelay(LIST);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("Done.") });
  const artefacts = await readdir(join(directory, "src", "__generated__"));
  expect(artefacts.toSorted()).toEqual(
    [...OPERATIONS, "userGroupList_item", "userGroupList_query"]
      .map((name) => `${name}.graphql.js`)
      .toSorted(),
  );

  const { id } = await createUserGroup(graphql(), "relay-1");
  await createUserGroup(graphql(), "relay-2");
  const variables = { first: 1, filter: { nameStartsWith: "relay" } };
  const { userGroups } = await run(textOf("userGroupListPaginationQuery"), variables);
  expect(userGroups).toMatchObject({ edges: [{ node: { id } }], pageInfo: { hasNextPage: true } });
  const after = userGroups.pageInfo.endCursor;
  const next = await run(textOf("userGroupListPaginationQuery"), { ...variables, after });
  expect(next.userGroups).toMatchObject({ edges: [{ node: { name: "relay-2" } }] });
  const item = await run(textOf("userGroupListItemQuery"), { id });
  expect(item).toMatchObject({ node: { id, name: "relay-1", mapping: [] } });
});

test.skipIf(!hasRelayCompiler)("relay-compiler rejects an unknown field", async () => {
  const { status, output } = await compileForRelay(LIST, (source) => source.replace("schemaId", "schema"));
  expect(status).not.toBe(0);
  expect(output).toContain("The type `MappingEntry` has no field `schema`");
});
