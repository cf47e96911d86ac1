import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runGraphql } from "../../src/cli/graphql/graphql.js";
import { UsageError } from "../../src/domain/shared/operator-error.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { callRest } from "../support/rest/rest-client.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";
import { startTestService, type TestAccount, type TestService } from "../support/service/test-service.js";

const UPSERT = `mutation ($id: String!, $name: String, $properties: JSON) {
  upsertUserGroups(input: { userGroups: [{ providedId: $id, name: $name, properties: $properties }] }) {
    results { userGroup { token version } }
  }
}`;
const READ = "query ($id: String!) { userGroup(by: { providedId: $id }) { name token properties } }";
const ROTATE =
  "mutation ($by: UserGroupBy!) { rotateUserGroupToken(input: { by: $by }) { userGroup { token } } }";

const processes = createTestProcesses();
let folder: string;
let service: TestService;
let account: TestAccount;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ug-graphql-cli-"));
  const encryptionKey = randomBytes(32);
  service = await startTestService({ encryptionKey });
  account = await service.createAccount();
  env = { DATABASE_URL: databaseUrl(service.target), ENCRYPTION_KEYS: encryptionKey.toString("base64") };
});
afterAll(async () => {
  await processes.close();
  await service.close();
  await rm(folder, { recursive: true });
});

const choice = () => ["--account", account.name, "--environment", "Customer"];

function run(args: readonly string[]) {
  return runHere(["graphql", ...args, ...choice()], env);
}

async function dataOf(...args: readonly string[]) {
  const end = await run(args);
  expect(end, end.stderr).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(end.stdout);
}

test("creates, reads and rotates, with variables from options and a file", async () => {
  const properties = '{"a": {"b": [1.5]}}';
  const created = await dataOf(
    ...[UPSERT, "--variable", "id=12=ab", "--variable", "name=Acme", "--author", "Ann"],
    ...["--variable", `properties=${properties}`],
  );
  const { userGroup } = created.upsertUserGroups.results[0];
  expect(userGroup).toEqual({ token: expect.stringMatching(/^ugt_/), version: 1 });
  const read = await dataOf(READ, "--variables", '{"id": "12=ab"}');
  const group = { name: "Acme", token: userGroup.token, properties: JSON.parse(properties) };
  expect(read).toEqual({ userGroup: group });

  const [variables, query] = [join(folder, "variables.json"), join(folder, "rotate.graphql")];
  await Promise.all([writeFile(variables, '{"by": {"providedId": "12=ab"}}'), writeFile(query, ROTATE)]);
  const rotated = await dataOf("--file", query, "--variables", `@${variables}`);
  const { token } = rotated.rotateUserGroupToken.userGroup;
  expect(token).not.toBe(userGroup.token);
  const { secret } = await account.createKey();
  const found = await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "12=ab" });
  expect(found).toMatchObject({ body: { new_user_group: false, user_group: { token } } });

  const log = "{ auditLog(first: 5) { nodes { action actorName actor { id } } } }";
  const { stdout } = await processes.run(["graphql", "--file", "-", "--json", ...choice()], {
    env,
    input: log,
  });
  const nodes = JSON.parse(stdout).auditLog.nodes.filter(({ action }: { action: string }) =>
    action.startsWith("USER_GROUP"),
  );
  expect(nodes).toEqual([
    { action: "USER_GROUP_TOKEN_ROTATED", actorName: "cli", actor: null },
    { action: "USER_GROUP_CREATED", actorName: "Ann", actor: null },
  ]);
});

test("prints properties as they are stored", async () => {
  const text = '{"b":1.0,"9":12345678901234567890}';
  const { secret } = await account.createKey();
  const body = `{"user_group_id":"exact","name":"E","properties":${text}}`;
  expect(await callRest(`${service.url}/api/user`, "GET", secret, body)).toMatchObject({ status: 200 });
  const { stdout } = await run([READ, "--variable", "id=exact"]);
  expect(stdout).toContain(`"properties": ${text}`);
});

test("refused mutations and GraphQL errors exit with 1 after the data is printed", async () => {
  const unknown = await run([ROTATE, "--variables", '{"by": {"providedId": "nobody"}}']);
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No user group of this environment has this ID\. Create it with .*\n$/),
  });
  expect(JSON.parse(unknown.stdout).rotateUserGroupToken.userGroup).toBeNull();

  const both = `query ($id: String!) {
    userGroup(by: { providedId: $id }) { id }
    other: userGroup(by: { id: "x", teamId: 1 }) { id }
  }`;
  const [refused, partial, invalid, syntax] = await Promise.all([
    run([UPSERT, "--variable", "id=unnamed", "--json"]),
    run([`mutation { deleteUserGroup(input: { by: { providedId: "" } }) { userErrors { field } } }`]),
    run(["{ viewer { nothing } }"]),
    run(["{ viewer"]),
  ]);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stderr)).toEqual({
    error: { code: "invalid_field", message: expect.stringContaining("name") },
  });
  expect(partial).toMatchObject({ code: 1, stderr: expect.stringContaining("must not be empty") });
  expect(invalid).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^Cannot query field "nothing" on type "Viewer"\.\n\n.*:1:12\n/),
  });
  expect(syntax).toMatchObject({ code: 1, stderr: expect.stringContaining("Syntax Error") });
  expect((await run([both, "--variable", "id=x"])).code).toBe(1);
});

test("wrong use exits with 2", async () => {
  expect(failureOf(await run([]), 2)).toBe("Pass a query, or its file with --file, but not both.");
});

test.each<[query: string, choices: Partial<Parameters<typeof runGraphql>[2]>, message: string]>([
  [READ, { file: "-" }, "Pass a query, or its file with --file, but not both."],
  [READ, { variable: ["name=x"] }, "--variable name=x: the query declares no variable $name."],
  [READ, { variable: ["id"] }, "--variable id: the query declares no variable $."],
  [READ, { variables: '{"typo": 1}' }, "The query declares no variable $typo."],
  [READ, { variables: "[]" }, "--variables must be a JSON object."],
  [ROTATE, { variable: ["by=acme"] }, "--variable by is not valid JSON: invalid symbol at line 1, column 1."],
  ...[
    "query A { viewer { accountName } } query B { viewer { accountName } }",
    "subscription { userGroupChanged { kind } }",
  ].map((query): [string, object, string] => [
    query,
    {},
    "The query must have exactly one operation, a query or a mutation.",
  ]),
])("refuses wrong use: %s %j", async (query, choices, message) => {
  const print = vi.fn();
  const options = { account: account.name, environment: "Customer", author: "cli", variable: [] } as const;
  const streams = { input: process.stdin, output: { isJson: false, print } };
  const failure = await runGraphql(env, query, { ...options, ...choices }, streams).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(UsageError);
  expect(failure).toMatchObject({ message });
  expect(print).not.toHaveBeenCalled();
});

test("names a file that cannot be read", async () => {
  expect(failureOf(await run(["--file", join(folder, "none")]))).toMatch(/^Cannot read .*none: ENOENT/);
});

test("--json prints what the table shows", async () => {
  const made = await runHere(["key", "create", ...choice(), "--scope", "write", "--json"], env);
  const { id } = JSON.parse(made.stdout);
  const keys = await runHere(["key", "list", "--account", account.name, "--json"], env);
  expect(JSON.parse(keys.stdout)).toContainEqual(
    expect.objectContaining({ id, scope: "write", revoked_at: null }),
  );
});

test("complete prints scripts for bash, zsh and fish, which complete commands, options and values", async () => {
  const complete = async (...words: readonly string[]) => {
    const { stdout } = await processes.run(["complete", "--", ...words]);
    return stdout.split("\n").map((line) => line.split("\t")[0]);
  };
  const [commands, options, values, ...scripts] = await Promise.all([
    complete("site-config", ""),
    complete("graphql", "--v"),
    complete("key", "create", "--scope", ""),
    ...["bash", "zsh", "fish"].map((shell) => processes.run(["complete", shell])),
  ]);
  expect(commands).toEqual(expect.arrayContaining(["check", "put"]));
  expect(options).toEqual(expect.arrayContaining(["--variable", "--variables"]));
  expect(values).toEqual(expect.arrayContaining(["read", "admin"]));
  for (const { code, stdout } of scripts) {
    expect(code).toBe(0);
    expect(stdout).toContain("user-groups complete --");
  }
});

test("help marks required options and names --json", async () => {
  const { stdout } = await runHere(["graphql", "--help"]);
  expect(stdout).toMatch(/--account <name> +account name \(required\)/);
  expect(stdout).toMatch(/--json +print the result as JSON/);
});
