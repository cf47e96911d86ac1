import { execFile } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { validSite } from "../../packages/site-config/test/documents.js";
import { holdTransaction } from "../support/postgres/held-transaction.js";
import { snippetsOf } from "../support/repository/doc-snippets.js";
import { compileService } from "../support/service/compiled-service.js";
import { newToolSecret } from "../support/session-templates/templates.js";
import { startRemoteCommands } from "../support/transfer/environment-files.js";
import { URL_OF } from "../support/webhooks/operations.js";

const commands = await startRemoteCommands();
const { write, createEnvironments } = commands;
const SITE_NAME = "Handbook";
const siteText = `${JSON.stringify({ ...validSite, name: SITE_NAME }, null, 2)}\n`;

/** All sections of a file. */
function completeFile() {
  return {
    version: 1,
    dataSources: [
      { providedId: "sales", name: "Sales database" },
      { providedId: "support", name: "Support database" },
      { providedId: "orders", name: "Orders" },
    ],
    sessionTemplates: [
      {
        name: "metabase",
        algorithm: "HS256",
        claims: { params: { region: "{{ userGroup.properties.region }}", limit: 10 } },
        url: "https://bi.example.com/embed/{{ token }}",
        secret: { env: "METABASE_SECRET" },
      },
    ],
    webhookEndpoints: [
      { name: "billing", url: URL_OF("billing"), events: ["USER_GROUP_CREATED", "USER_GROUP_DELETED"] },
      { name: "idle", url: URL_OF("idle"), enabled: false },
    ],
    propertySchema: {
      mode: "WARN",
      schema: { type: "object", properties: { region: { type: "string", enum: ["EU", "US"] } } },
    },
    sites: [{ name: "docs", text: siteText, isPublic: true }],
  };
}

test("an environment is planned, applied once, exported without differences and promoted to another one", async () => {
  const { testing, customer } = await createEnvironments();
  const secret = newToolSecret();
  const env = { METABASE_SECRET: secret };
  const path = await write("complete.json", completeFile());

  const planned = await testing.config(["plan", path]);
  expect(planned).toMatchObject({ code: 2, stderr: "" });
  expect(planned.stdout).toContain(`+ data source "orders"\n    providedId: "orders"\n    name: "Orders"\n`);
  expect(planned.stdout).toContain('+ session template "metabase"');
  expect(planned.stdout).toContain("    secret: from the environment variable METABASE_SECRET\n");
  expect(planned.stdout).toMatch(/\n6 changes\. Secrets cannot be compared/);

  expect(await testing.config(["apply", path], env)).toMatchObject({
    code: 1,
    stderr: "There is no terminal to ask. Add --yes to apply without a question.\n",
  });
  const secrets = join(commands.folder, "signing-secrets.jsonl");
  const applied = await testing.config(["apply", path, "--yes", "--secrets-file", secrets], env);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  expect(applied.stdout.match(/^done: .*$/gm)).toEqual([
    'done: + data source "orders"',
    'done: + session template "metabase"',
    'done: + webhook endpoint "billing"',
    'done: + webhook endpoint "idle"',
    'done: ~ schema for "properties"',
    'done: + site "docs"',
  ]);
  expect((await stat(secrets)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(secrets, "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).webhookEndpoint)).toEqual(["billing", "idle"]);
  // The run's log of secrets is searched in everything that commands print: these must not be there either.
  for (const line of lines) expect(applied.stdout).not.toContain(JSON.parse(line).secret);
  for (const text of [planned.stdout, applied.stdout]) expect(text).not.toContain(secret);

  expect(await testing.config(["plan", path])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No changes\./),
  });
  const again = await testing.config(["apply", path, "--yes"], env);
  expect(again).toMatchObject({ code: 0, stderr: "", stdout: expect.not.stringContaining("done") });
  expect(
    await testing.read("{ sessionTemplates { nodes { version } } dataSources { nodes { version } } }"),
  ).toEqual({
    sessionTemplates: { nodes: [{ version: 1 }] },
    dataSources: { nodes: [{ version: 1 }, { version: 1 }, { version: 1 }] },
  });

  const exported = await testing.config(["export"]);
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  expect(exported.stdout).toMatch(
    /^# yaml-language-server: \$schema=http.*\/docs\/reference\/environment-file\.schema\.json\n/,
  );
  expect(exported.stdout).not.toMatch(/createdAt|revision|"?id"?:/);
  expect((await testing.config(["export"])).stdout).toBe(exported.stdout);
  expect(parse(exported.stdout).sessionTemplates[0].secret).toEqual({
    env: "SECRET_METABASE",
    encoding: "TEXT",
  });
  const yaml = await write("exported.yaml", exported.stdout);
  const asJson = await write("exported.json", (await testing.config(["export", "--json"])).stdout);
  for (const file of [yaml, asJson])
    expect(await testing.config(["plan", "--prune", file])).toMatchObject({ code: 0 });

  // The other environment refuses the secret of this one: templates have one for each.
  const promoted = await customer.config(["apply", yaml, "--yes"], { SECRET_METABASE: newToolSecret() });
  expect(promoted).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/secret of "billing" was not saved/),
  });
  expect(await customer.config(["plan", "--prune", yaml])).toMatchObject({ code: 0 });
});

test("changes are shown by field, deletions happen with --prune only, and plans are objects with --json", async () => {
  const { testing } = await createEnvironments();
  const file = completeFile();
  const env = { METABASE_SECRET: newToolSecret() };
  await testing.config(["apply", await write("before.json", file), "--yes"], env);
  const [template, [billing]] = [file.sessionTemplates[0], file.webhookEndpoints];
  const changed = {
    ...file,
    dataSources: [{ providedId: "sales", name: "Sales EU" }],
    sessionTemplates: [{ ...template, claims: { params: { region: "EU", limit: 10 } } }],
    webhookEndpoints: [{ ...billing, enabled: false }],
    sites: [{ name: "docs", text: siteText.replace(SITE_NAME, "Renamed") }],
  };
  const path = await write("after.json", changed);
  const plan = await testing.config(["plan", path]);
  expect(plan.stdout.replace(/\n\d+ changes\.[\s\S]*$/, "")).toBe(
    [
      '~ data source "sales"',
      '    name: "Sales database" → "Sales EU"',
      '~ session template "metabase"',
      '    claims.params.region: "{{ userGroup.properties.region }}" → "EU"',
      '~ webhook endpoint "billing"',
      "    enabled: true → false",
      '~ site "docs"',
      "    isPublic: true → false",
      `    document.name: "${SITE_NAME}" → "Renamed"`,
    ].join("\n"),
  );
  const pruned = JSON.parse((await testing.config(["plan", "--prune", "--json", path])).stdout);
  const deletions = pruned.changes
    .slice(-3)
    .map(({ action, key }: { action: string; key: string }) => [action, key]);
  expect(deletions).toEqual([
    ["delete", "idle"],
    ["delete", "support"],
    ["delete", "orders"],
  ]);
  expect(await testing.config(["apply", "--prune", "--yes", path], env)).toMatchObject({ code: 0 });
  expect(await testing.config(["plan", "--prune", path])).toMatchObject({ code: 0 });
  expect(
    await testing.read(
      "{ dataSources { nodes { providedId } } webhookEndpoints { nodes { name disabledAt } } }",
    ),
  ).toEqual({
    dataSources: { nodes: [{ providedId: "sales" }] },
    webhookEndpoints: { nodes: [{ name: "billing", disabledAt: expect.any(String) }] },
  });
  // A section that the file does not have is left alone.
  const partial = await write("partial.yaml", "version: 1\ndataSources: []\n");
  expect((await testing.config(["plan", "--prune", partial])).stdout).toMatch(
    /^- data source "sales"\n1 change\./,
  );
});

test("a secret is sent for another algorithm or origin, and with --set-secrets, and is required before anything is written", async () => {
  const { testing } = await createEnvironments();
  const file = completeFile();
  const path = await write("secret.json", file);
  const missing = "The secret is missing. Set the environment variable METABASE_SECRET.\n";
  expect(await testing.config(["apply", path, "--yes"])).toMatchObject({ code: 1, stderr: missing });
  expect(await testing.read('{ dataSource(by: { providedId: "orders" }) { id } }')).toEqual({
    dataSource: null,
  });
  const env = { METABASE_SECRET: newToolSecret() };
  await testing.config(["apply", path, "--yes"], env);
  const moved = {
    ...file,
    sessionTemplates: [{ ...file.sessionTemplates[0], url: "https://bi.example.org/{{ token }}" }],
  };
  expect(await testing.config(["apply", await write("moved.json", moved), "--yes"])).toMatchObject({
    code: 1,
    stderr: missing,
  });
  expect(await testing.config(["apply", path, "--yes", "--set-secrets"])).toMatchObject({
    code: 1,
    stderr: missing,
  });
  const version = "{ sessionTemplates { nodes { version } } }";
  for (const [secret, expected] of [
    [env.METABASE_SECRET, 1],
    [newToolSecret(), 2],
  ] as const) {
    const options = { METABASE_SECRET: secret };
    expect(await testing.config(["apply", path, "--yes", "--set-secrets"], options)).toMatchObject({
      code: 0,
    });
    expect(await testing.read(version)).toEqual({ sessionTemplates: { nodes: [{ version: expected }] } });
  }
});

test("apply stops at the first refusal and says what was done and what was not", async () => {
  const { testing } = await createEnvironments();
  const file = completeFile();
  const [first] = file.sites;
  const refused = {
    ...file,
    webhookEndpoints: [{ name: "inside", url: "https://127.0.0.1/hook" }],
    sites: [first],
  };
  const env = { METABASE_SECRET: newToolSecret() };
  const end = await testing.config(["apply", await write("refused.json", refused), "--yes"], env);
  expect(end.code).toBe(1);
  expect(end.stdout.match(/^(?:not )?done: .*$/gm)).toEqual([
    'done: + data source "orders"',
    'done: + session template "metabase"',
    'not done: + webhook endpoint "inside"',
    'not done: ~ schema for "properties"',
    'not done: + site "docs"',
  ]);
  expect(end.stderr).toMatch(
    /^Stopped after 2 of 5 changes, at \+ webhook endpoint "inside": .*must not resolve to a private/,
  );
});

test("of two people who apply at once, one is refused", async () => {
  const { testing } = await createEnvironments();
  const held = await holdTransaction(commands.service, "SELECT FROM data_source FOR UPDATE");
  const running = ["A", "B"].map(async (name) => {
    const file = { version: 1, dataSources: [{ providedId: "sales", name }] };
    return testing.config(["apply", await write(`${name}.json`, file), "--yes"]);
  });
  // Both have made their plans.
  const waiting =
    "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(async () => (await commands.service.query(waiting))[0].n).toBe(2);
  await held.commit();
  const ends = await Promise.all(running);
  expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1]);
  expect(ends.find(({ code }) => code === 1)?.stderr).toBe(
    'Stopped after 0 of 1 changes, at ~ data source "sales": The data source has version 2, not 1. Read it again.\n',
  );
});

test("the guide's file is valid, and its workflow plans a pull request and applies it on main", async () => {
  const guide = snippetsOf("docs/environment-as-a-file.md");
  const [example, workflow] = guide.filter(({ language }) => language === "yaml").map(({ code }) => code);
  await write("mint.json", siteText);
  const path = await write("environment.yaml", example);
  const { customer } = await createEnvironments();
  // The workflow's commands, with the compiled command in place of the installed package.
  const folder = join(commands.folder, "bin");
  await mkdir(folder);
  await writeFile(
    join(folder, "npx"),
    `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${await compileService()}/src/cli.js" "$@"\n`,
    { mode: 0o755 },
  );
  const { jobs, ...rest } = parse(workflow ?? "");
  const { env, steps } = jobs.environment;
  expect(Object.keys(rest)).toEqual(["on", "concurrency"]);
  const values: Readonly<Record<string, string>> = {
    USER_GROUPS_URL: commands.service.url,
    USER_GROUPS_API_KEY: customer.key,
    METABASE_SECRET: newToolSecret(),
  };
  expect(Object.keys(env)).toEqual(Object.keys(values));
  const runOn = async (event: string) => {
    const [step] = steps.filter(
      (each: { readonly if?: string }) => each.if === `github.event_name == '${event}'`,
    );
    // As GitHub runs it.
    const { stdout } = await promisify(execFile)(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
      {
        cwd: dirname(path),
        env: { PATH: `${folder}:${process.env["PATH"]}`, ...values },
      },
    );
    return stdout;
  };
  // The account's data source `support` is not in the guide's file.
  expect(await runOn("pull_request")).toMatch(/^- data source "support"$/m);
  expect(await runOn("push")).toMatch(/^done: \+ site "handbook"$/m);
  expect(await runOn("pull_request")).toMatch(/^No changes\./);
});

test("invalid arguments and settings have the exit code 1, because 2 means differences", async () => {
  const { testing } = await createEnvironments();
  const path = await write("empty.yaml", "version: 1\n");
  for (const args of [["plan"], ["plan", "--loud", path], ["plann", path], ["plan", `${path}.none`]])
    expect(await testing.config(args)).toMatchObject({ code: 1, stdout: "" });
  expect(await testing.config(["plan", path])).toMatchObject({ code: 0 });
  const settings = [
    [{ USER_GROUPS_URL: "" }, "Set USER_GROUPS_URL."],
    [{ USER_GROUPS_API_KEY: "" }, "Set the environment variable USER_GROUPS_API_KEY."],
    [{ USER_GROUPS_API_KEY: "secret" }, "USER_GROUPS_API_KEY must be an API key"],
    [{ USER_GROUPS_URL: "http://groups.example.com" }, "USER_GROUPS_URL must begin with https://"],
  ] as const;
  for (const [env, reason] of settings)
    expect(await testing.config(["plan", path], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(reason),
    });
  const unreachable = { USER_GROUPS_URL: "http://127.0.0.1:1" };
  expect(
    await testing.config(["plan", await write("one.yaml", "version: 1\nsites: []\n")], unreachable),
  ).toMatchObject({ code: 3 });
});
