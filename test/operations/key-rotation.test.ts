import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GuideReader, startGuideReader } from "../support/deploy/guide-reader.js";
import { systemPostgres } from "../support/postgres/system-postgres.js";
import { snippetsOf } from "../support/repository/doc-snippets.js";
import { callRest } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { runHere } from "../support/service/command.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const SETTINGS = ["DATABASE_URL", "ENCRYPTION_KEYS", "METRICS_TOKEN"];
const steps = ["docs/key-rotation.md", "docs/leaked-secret.md"]
  .flatMap(snippetsOf)
  .filter(({ notRun }) => notRun?.includes("test/operations/key-rotation.test.ts"));
const roles = snippetsOf("docs/database.md").find(({ code }) =>
  code.includes("CREATE ROLE user_groups_service"),
);

describe.skipIf(systemPostgres === undefined)("key rotation", { timeout: 600_000 }, () => {
  const processes = createTestProcesses();
  /** Settings of the service: the reader's shell, which the steps change. */
  let shell: Record<string, string>;
  let reader: GuideReader;
  let service: RunningService;
  let key: string;
  let next = 0;

  beforeAll(async () => {
    reader = await startGuideReader(systemPostgres ?? "");
    reader.runSql(roles?.code ?? "");
    shell = {
      DATABASE_URL: reader.url("service"),
      ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
      METRICS_TOKEN: randomBytes(32).toString("hex"),
    };
    const owner = { DATABASE_MIGRATION_URL: reader.url("owner") };
    const run = async (...args: readonly string[]) => {
      const end = await runHere(args, { ...shell, ...(args[0] === "migrate" ? owner : {}) });
      expect(end, end.stderr).toMatchObject({ code: 0 });
      return end.stdout.trim();
    };
    const tenant = ["--account", "acme", "--environment", "Customer"];
    await run("migrate", "up");
    await run("account", "create", "acme");
    key = await run("key", "create", ...tenant, "--scope", "admin");
    const hook = 'input: {name: "hook", url: "https://hooks.example.com/"}';
    await run("graphql", `mutation { createWebhookEndpoint(${hook}) { secret } }`, ...tenant);
    service = await processes.serve({ env: shell });
  });
  afterAll(async () => {
    await processes.close();
    await reader?.close();
  });

  /** Runs the guide's next step, which must contain a text, in the reader's shell. @returns its output */
  async function step(part: string): Promise<string> {
    const { language, code = "" } = steps[next++] ?? {};
    expect(code).toContain(part);
    if (language === "sql") {
      reader.runSql(code);
      return "";
    }
    const state = join(reader.folder, "environment");
    const { stdout } = await reader.runScript(`${code}\nenv -0 > ${state}`, shell);
    const variables = (await readFile(state, "utf8")).split("\0").map((line) => line.split(/=(.*)/s));
    shell = Object.fromEntries(
      variables.flatMap(([name = "", value = ""]) => (SETTINGS.includes(name) ? [[name, value]] : [])),
    );
    return stdout.trim();
  }

  /** Replaces the process by one with the settings of the shell. */
  async function restart(): Promise<void> {
    const former = service;
    service = await processes.serve({ env: shell });
    former.kill("SIGTERM");
    expect((await former.ended).code).toBe(0);
  }

  const getJane = (apiKey = key) =>
    callRest(`${service.url}/api/user`, "GET", apiKey, { user_group_id: "jane", name: "Jane" });
  const createSession = async () => {
    const reply = await callRest(`${service.url}/api/embed-session`, "POST", key, { user_group_id: "jane" });
    return String(Object(reply.body).token);
  };
  const isAccepted = async (token: string) => {
    const query = { query: "{ viewer { userGroup { name } } }" };
    const headers = { authorization: `Bearer ${token}` };
    return (await callRest(`${service.url}/graphql`, "POST", undefined, query, headers)).status === 200;
  };

  test("of encryption keys keeps tokens and makes the former key unnecessary, with the application role", async () => {
    const { token } = userGroupOf(await getJane());
    const former = shell;
    await step("openssl rand -base64 32");
    await restart();
    expect(userGroupOf(await getJane()).token).toBe(token);
    const output = await step("token reencrypt --status");
    expect(output).toMatch(/^re-encrypted 1 tokens with key (\w{8}); .*\nKEY ID +ROWS +KEY\n\1 +\d +first$/);
    await step("%%,*");
    expect(shell["ENCRYPTION_KEYS"]).not.toContain(",");
    await restart();
    expect(userGroupOf(await getJane()).token).toBe(token);
    expect(await runHere(["key", "list"], former)).toMatchObject({ code: 1 });
  });

  test("of API keys revokes the former one", async () => {
    const former = key;
    const output = await step("key create");
    expect(output.split("\n")).toHaveLength(4);
    key = output.split("\n")[0] ?? "";
    expect((await getJane()).status).toBe(200);
    expect(await step("key revoke")).toBe("revoked 1");
    expect((await getJane()).status).toBe(200);
    await expect.poll(async () => (await getJane(former)).status).toBe(401);
  });

  test("of signing keys keeps embed sessions", async () => {
    const session = await createSession();
    expect(await step("signing-key rotate")).toMatch(/^added \S+, which signs from /);
    await restart();
    expect(await isAccepted(session)).toBe(true);
  });

  test("of webhook secrets, database passwords and the metrics token", async () => {
    expect(await step("rotateWebhookSecret")).toMatch(/"name": "hook".*"secret": "whsec_\S+"/s);

    const { DATABASE_URL: formerUrl = "", METRICS_TOKEN: formerToken = "" } = shell;
    await step("ALTER ROLE");
    await step("NEW_PASSWORD");
    await restart();
    expect((await getJane()).status).toBe(200);
    const refused = await runHere(["key", "list"], { ...shell, DATABASE_URL: formerUrl });
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("password authentication failed"),
    });

    await step("METRICS_TOKEN");
    await restart();
    const metrics = async (token = "") => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${service.url}/metrics`, { headers })).status;
    };
    expect([await metrics(shell["METRICS_TOKEN"]), await metrics(formerToken)]).toEqual([200, 401]);
  });

  test("after a leak ends the use of API keys and of sessions that signing keys allow", async () => {
    const session = await createSession();
    expect(await step("key revoke")).toBe("revoked 2");
    await expect.poll(async () => (await getJane()).status).toBe(401);
    expect(await isAccepted(session)).toBe(false);
    const signingKeys = async () =>
      Object((await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined)).body).keys.length;
    expect(await signingKeys()).toBe(2);
    await step("signing-key rotate --revoke");
    await restart();
    expect(await signingKeys()).toBe(1);
  });

  test("every step of the guide was run", () => expect(next).toBe(steps.length));
});
