import { execFile } from "node:child_process";
import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";
import {
  connectionTo,
  processesIn,
  readPostmaster,
  readSecrets,
  seesProcesses,
} from "../support/service/data-directory.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";

const processes = createTestProcesses();
let dataDir: string;
let service: RunningService;
beforeAll(async () => {
  dataDir = await processes.newDataDir();
  service = await processes.serve({ env: { DATA_DIR: dataDir } });
});
afterAll(() => processes.close());

describe("the first start without DATABASE_URL", () => {
  test("prints the URLs of the service and the playground", async () => {
    expect(service.startUpText).toContain(
      `The user group service is listening on ${service.url} (PostgreSQL 18.`,
    );
    expect(service.startUpText).toContain(`embedded, data in ${dataDir}`);
    expect(service.startUpText).toContain(
      `\nPlayground: ${service.url}/graphql\nConsole: ${service.url}/console\nDocumentation: ${service.url}/docs\n`,
    );
    const { headers } = await fetch(`${service.url}/graphql`, { headers: { accept: "text/html" } });
    expect(headers.get("content-type")).toContain("text/html");
  });

  test("prints one admin key per environment of the demo account, which has two data sources", async () => {
    const [customer = "", testing = "", ...others] = keysIn(service.startUpText);
    expect(others).toEqual([]);
    expect(customer).toMatch(/^ugk_live_/);
    expect(testing).toMatch(/^ugk_test_/);
    const query = `{
      viewer { accountName environment apiKey { scope } }
      sales: dataSource(by: { providedId: "demo-sales" }) { name }
      support: dataSource(by: { providedId: "demo-support" }) { name }
    }`;
    for (const [key, environment] of [
      [customer, "CUSTOMER"],
      [testing, "TESTING"],
    ] as const) {
      const { body } = await callGraphql(service.url, key, query);
      expect(body).toEqual({
        data: {
          viewer: { accountName: "demo", environment, apiKey: { scope: "ADMIN" } },
          sales: { name: "Sales database" },
          support: { name: "Support database" },
        },
      });
    }
  });

  test("lets pages of this machine call the GraphQL API", async () => {
    const allowedFor = async (origin: string) =>
      (await fetch(`${service.url}/graphql`, { method: "OPTIONS", headers: { origin } })).headers.get(
        "access-control-allow-origin",
      );
    for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]"]) {
      expect(await allowedFor(origin)).toBe(origin);
    }
    for (const origin of [
      "https://app.example.com",
      "http://localhost.example.com",
      "http://192.0.2.1:3000",
      "null",
    ]) {
      expect(await allowedFor(origin)).toBeNull();
    }
  });

  test("prints two curl commands that work when pasted into a shell", async () => {
    const [rest = "", graphql = "", ...others] = callsIn(service.startUpText);
    expect(others).toEqual([]);
    expect(await paste(rest)).toMatchObject({
      success: 1,
      new_user_group: true,
      user_group: {
        provided_id: "acme",
        name: "Acme Inc.",
        properties: { color: "#0b6e4f", currency: "EUR" },
      },
    });
    expect(await paste(graphql)).toEqual({
      data: {
        userGroup: {
          name: "Acme Inc.",
          token: expect.stringMatching(/^\S+$/),
          properties: { color: "#0b6e4f", currency: "EUR" },
          mapping: [{ schemaId: "sales", dataSource: { name: "Sales database" } }],
        },
      },
    });
  });

  test("stores its secrets where no other user can read them", async () => {
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(dataDir)).toBe("700");
    expect(await modeOf(join(dataDir, "secrets.json"))).toBe("600");
    expect(await modeOf(join(dataDir, "postgres"))).toBe("700");
    expect(await modeOf((await readPostmaster(dataDir)).socketDir)).toBe("700");
  });

  test("allows PostgreSQL connections only with the password and only locally", async () => {
    const connection = await connectionTo(dataDir);
    await expect(ask({ ...connection, password: "guess" }, "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
    expect(await ask(connection, "SHOW listen_addresses")).toEqual([{ listen_addresses: "" }]);
  });

  test("writes no secret to its log", async () => {
    await callRest(`${service.url}/api/user`, "GET", "ugk_live_000001wrong", { user_group_id: "acme" });
    const { databasePassword, encryptionKeys } = await readSecrets(dataDir);
    // The line of a request may arrive after its reply.
    await expect.poll(() => service.stderr()).toContain('"path":"/api/user"');
    for (const secret of [...keysIn(service.startUpText), databasePassword, ...encryptionKeys, "ugk_"])
      expect(service.stderr()).not.toContain(secret);
  });
});

test("leaves no process running after a stop, and restarts with its data and without printing secrets", async () => {
  const [key = ""] = keysIn(service.startUpText);
  const pageData = { disabled: [], demo: { apiKey: key, dataSource: "demo-sales" } };
  expect(await readPageData(service)).toEqual(pageData);
  const { socketDir } = await readPostmaster(dataDir);
  service.kill("SIGTERM");
  expect(await service.ended).toMatchObject({ code: 0, signal: null });
  if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
  await expect(access(socketDir)).rejects.toThrow("ENOENT");

  const second = await processes.serve({ env: { DATA_DIR: dataDir, HOST: "localhost" } });
  expect(await readPageData(second)).toEqual(pageData);
  expect(keysIn(second.startUpText)).toEqual([]);
  expect(second.startUpText).not.toContain("curl");
  expect(second.startUpText.trimEnd().split("\n")).toHaveLength(4);
  expect(await callRest(`${second.url}/api/user`, "GET", key, { user_group_id: "acme" })).toMatchObject({
    status: 200,
    body: { new_user_group: false, user_group: { name: "Acme Inc." } },
  });
  second.kill("SIGINT");
  expect(await second.ended).toMatchObject({
    code: 0,
    signal: null,
    stderr: expect.not.stringContaining("ugk_"),
  });
  if (seesProcesses) expect(await processesIn(dataDir)).toEqual([]);
});

test("gives the pages no demo key on other than loopback addresses", async () => {
  const open = await processes.serve({ env: { DATA_DIR: dataDir, HOST: "0.0.0.0" } });
  expect(await readPageData(open)).toEqual({ disabled: [] });
  expect(open.stderr()).not.toContain("ugk_");
});

async function readPageData({ url }: RunningService): Promise<unknown> {
  return (await fetch(`${url}/pages.json`)).json();
}

function keysIn(text: string): string[] {
  return [...new Set(text.match(/ugk_\w+/g))];
}

/** The printed commands, each with its continuation lines. */
function callsIn(text: string): string[] {
  return text.match(/^curl (?:.*\\\n)*.*$/gm) ?? [];
}

async function paste(call: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("bash", ["-c", call]);
  return JSON.parse(stdout);
}

async function ask(
  connection: Awaited<ReturnType<typeof connectionTo>>,
  statement: string,
): Promise<object[]> {
  const client = new Client(connection);
  try {
    await client.connect();
    return (await client.query<object>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
