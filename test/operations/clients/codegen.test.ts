import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateTypes, guideConfiguration } from "../../support/clients/guide-project.js";
import { checkTypes } from "../../support/clients/packed-client.js";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const DOCUMENTS = [
  `query UserGroupPage($first: Int!, $after: String, $filter: UserGroupFilter) {
    userGroups(first: $first, after: $after, filter: $filter) {
      edges { node { id name properties createdAt environment } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  `mutation CreateUserGroup($input: CreateUserGroupInput!) {
    createUserGroup(input: $input) { userGroup { id } userErrors { code message field } }
  }`,
];
const USE = `
import type { ResultOf, TypedDocumentNode, VariablesOf } from "@graphql-typed-document-node/core";
import { CreateUserGroupDocument, UserGroupPageDocument } from "./generated/graphql";

declare function run<Result, Variables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
): Result;
type Node = ResultOf<typeof UserGroupPageDocument>["userGroups"]["edges"][number]["node"];
export const first: VariablesOf<typeof UserGroupPageDocument> = { first: 10, filter: { providedIds: ["a"] } };
export const { edges, pageInfo } = run(UserGroupPageDocument, first).userGroups;
export const created = run(CreateUserGroupDocument, {
  input: { providedId: "a", name: "A", properties: { tier: "gold" }, mapping: [] },
}).createUserGroup;
export const describe = ({ name, createdAt, environment }: Node): [string, string, "CUSTOMER" | "TESTING"] =>
  [name, createdAt, environment];
`;
/** Code that must not compile with the above. */
const FAULTS = {
  "a field that was not asked for": "export const x = edges[0]?.node.token;",
  "JSON without a check": "export const x: string | undefined = edges[0]?.node.properties;",
  "a value that may be null": "export const x: string = pageInfo.endCursor;",
  "an error code that is not there": `export const x = created.userErrors[0]?.code === "NOBODY";`,
  "a variable that is missing": "run(UserGroupPageDocument, {});",
  "a variable of another type": `run(UserGroupPageDocument, { first: "10" });`,
  "an input field that is not there": `run(CreateUserGroupDocument, { input: { providedId: "a", name: "A", token: "t" } });`,
};
const CONFIG = {
  compilerOptions: {
    target: "es2023",
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    noEmit: true,
  },
};
/** The positions of compiler errors: `file:line`. */
let complaints: readonly string[] = [];
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "user-groups-codegen-"));
  await symlink(join(project, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(CONFIG));
  await generateTypes(join(directory, "generated"), DOCUMENTS, guideConfiguration());
  await writeFile(join(directory, "use.ts"), USE);
  for (const [name, fault] of Object.entries(FAULTS))
    await writeFile(join(directory, fileOf(name)), USE + fault);
  complaints = await checkTypes(directory, "tsconfig.json");
});
afterAll(() => rm(directory, { recursive: true }));

test("graphql-codegen's output compiles, and so does its correct use", () => {
  const invalidFiles = Object.keys(FAULTS).map(fileOf);
  expect(complaints.filter((place) => !invalidFiles.some((file) => place.startsWith(file)))).toEqual([]);
});

test.each(Object.keys(FAULTS))("%s does not compile", (name) => {
  const places = complaints.filter((place) => place.startsWith(fileOf(name)));
  expect(places).toEqual([`${fileOf(name)}:${USE.split("\n").length}`]);
});

function fileOf(name: string): string {
  return `${name.replaceAll(" ", "-")}.ts`;
}
