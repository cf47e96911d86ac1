import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, parse } from "graphql";
import { afterAll, beforeAll, expect, test } from "vitest";

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
  await generate(join(directory, "generated"));
  await writeFile(join(directory, "use.ts"), USE);
  for (const [name, fault] of Object.entries(FAULTS))
    await writeFile(join(directory, fileOf(name)), USE + fault);
  complaints = await check();
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

/** Generates typed documents as the CLI of graphql-codegen does with its client preset. */
async function generate(target: string): Promise<void> {
  const sdl = await readFile(join(project, "schema.graphql"), "utf8");
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: `${target}/`,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: DOCUMENTS.map((rawSDL, index) => ({ location: `${index}`, document: parse(rawSDL), rawSDL })),
    config: { useTypeImports: true, strictScalars: true, scalars: { DateTime: "string", JSON: "unknown" } },
    presetConfig: {},
    plugins: [],
    pluginMap: {},
  });
  await mkdir(target);
  for (const section of sections) await writeFile(section.filename, await codegen(section));
}

/** Type-checks all files. @returns the positions of errors */
async function check(): Promise<string[]> {
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, "--pretty", "false"], { cwd: directory }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const places = output.matchAll(/^(?<file>[^\s(]+)\((?<line>\d+),\d+\): error /gm);
  return [...places].map(({ groups }) => `${groups?.["file"]}:${groups?.["line"]}`);
}
