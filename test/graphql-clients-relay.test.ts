import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { useGraphql } from "./support/graphql-fixture.js";
import { createUserGroup } from "./support/user-group-operations.js";

const graphql = useGraphql();
const project = fileURLToPath(new URL("..", import.meta.url));
// The package exports the path of its binary, of which it has one for each of some platforms.
const require = createRequire(import.meta.url);
const compiler: string | null = require("relay-compiler");
const hasCompiler = compiler !== null && spawnSync(compiler, ["--version"]).status === 0;
const OPERATIONS = [
  "userGroupListDeleteMutation",
  "userGroupListItemQuery",
  "userGroupListPaginationQuery",
  "userGroupListRenameMutation",
  "userGroupListSubscription",
];

test.skipIf(!hasCompiler)("relay-compiler compiles a list that loads more, and it loads", async () => {
  const { run } = graphql();
  const { status, output, directory } = await compile((source) => source);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("Done.") });
  const artefacts = await readdir(join(directory, "src", "__generated__"));
  expect(artefacts.toSorted()).toEqual(
    [...OPERATIONS, "userGroupList_item", "userGroupList_query"]
      .map((name) => `${name}.graphql.js`)
      .toSorted(),
  );

  const texts: Record<string, string> = JSON.parse(await readFile(join(directory, "texts.json"), "utf8"));
  const textOf = (name: string) => Object.values(texts).find((text) => text.includes(` ${name}(`)) ?? "";
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

test.skipIf(!hasCompiler)("relay-compiler refuses a field that is not there", async () => {
  const { status, output } = await compile((source) => source.replace("schemaId", "schema"));
  expect(status).not.toBe(0);
  expect(output).toContain("The type `MappingEntry` has no field `schema`");
});

/** Compiles the list for Relay, changed, in a directory that lives as long as the test. */
async function compile(change: (source: string) => string) {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-relay-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "src", "user-group-list.js");
  await cp(join(project, "schema.graphql"), join(directory, "schema.graphql"));
  await cp(join(project, "test", "clients-graphql", "user-group-list.js"), path);
  await writeFile(path, change(await readFile(path, "utf8")));
  await writeFile(join(directory, "texts.json"), "{}");
  await writeFile(
    join(directory, "relay.config.json"),
    JSON.stringify({
      src: "src",
      schema: "schema.graphql",
      language: "javascript",
      persistConfig: { file: "texts.json" },
    }),
  );
  const { status, stdout, stderr } = spawnSync(compiler ?? "", { cwd: directory, encoding: "utf8" });
  return { status, output: stdout + stderr, directory };
}
