import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { createRemoteJWKSet, decodeJwt } from "jose";
import { Client } from "pg";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { usePackageClient } from "../support/clients/package-client.js";
import { ENCRYPTION_KEY, encodePart } from "../support/embed/sessions.js";
import type { Data } from "../support/graphql/graphql-fixture.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { administer, asRole } from "../support/postgres/postgres-setup.js";
import { createTestDatabase } from "../support/postgres/test-database.js";
import { snippetsOf } from "../support/repository/doc-snippets.js";
import { callRest, type RestReply } from "../support/rest/rest-client.js";
import { hasCubeGateway, startCubeGateway } from "./support/cube-gateway.js";
import {
  type KeySetSettings,
  readGrafana,
  readHasura,
  readLightdash,
  readMetabase,
  readPostgrest,
  readSuperset,
} from "./support/tool-rules.js";

const PUBLIC_URL = "https://groups.example.com";
const fixture = usePackageClient({ encryptionKey: ENCRYPTION_KEY, publicUrl: PUBLIC_URL });
const newSecret = () => randomBytes(32).toString("hex");
const SECRETS = {
  // Lightdash's have this length.
  lightdash: newSecret().slice(0, 21),
  metabase: newSecret(),
  postgrest: newSecret(),
  superset: newSecret(),
};
/** What tools that load a key set are set to. */
let settings: KeySetSettings & { readonly jwkUrl: string; readonly issuer: string };

beforeAll(async () => {
  for (const providedId of ["acme", "globex"]) await createGroup(providedId, { tenant: providedId });
  await createGroup("incomplete", { color: "red" });
  for (const tool of ["cube", "grafana", "hasura"]) await createTemplate(tool);
  for (const tool of ["lightdash", "postgrest", "superset"] as const)
    await createTemplate(tool, { secret: SECRETS[tool] });
  await runDocumentedCommand("createSessionTemplate");
  const { sessionTemplate: cube } = await fixture().run(documented("graphql", "sessionTemplate"));
  const jwkUrl = cube.keySetUrl.replace(PUBLIC_URL, fixture().service.url);
  const keys = createRemoteJWKSet(new URL(jwkUrl));
  settings = { keys, jwkUrl, issuer: cube.issuer, audience: `${fixture().account.name}/Customer` };
});

async function createGroup(providedId: string, properties: object): Promise<void> {
  await fixture().client.userGroups.getOrCreate({ providedId, name: `${providedId} Inc.`, properties });
}

/** Creates a template from a tool's preset. @param changes other and further fields of the input */
async function createTemplate(tool: string, changes: object = {}, key?: string): Promise<void> {
  const input = { name: tool, ...(await readPreset(tool)), ...changes };
  expect((await fixture().mutate("createSessionTemplate", input, undefined, key)).userErrors).toEqual([]);
}

async function readPreset(tool: string): Promise<Data> {
  return JSON.parse(await readFile(`docs/integrations/${tool}.json`, "utf8"));
}

async function requestSession(template: string, group: string, key?: string): Promise<RestReply> {
  const { service, keys } = fixture();
  const url = `${service.url}/api/embed-session/${template}`;
  return callRest(url, "POST", key ?? keys.embed, { user_group_id: group });
}

async function createToken(template: string, providedId: string, apiKey = fixture().keys.embed) {
  const { userGroups } = fixture().newClient({ apiKey });
  return (await userGroups.createTemplateSession({ providedId, template })).token;
}

/** Returns the snippet of docs/integrations.md that contains a text. */
function documented(language: string, text: string): string {
  const snippets = snippetsOf("docs/integrations.md").filter((each) => each.language === language);
  return snippets.find(({ code }) => code.includes(text))?.code ?? "";
}

/** Runs a command of docs/integrations.md in the folder of the presets. */
async function runDocumentedCommand(text: string): Promise<string> {
  const { service, keys } = fixture();
  const script = documented("sh", text).replaceAll("http://127.0.0.1:4000", service.url);
  const env = { PATH: process.env["PATH"], USER_GROUPS_API_KEY: keys.admin, TOOL_SECRET: SECRETS.metabase };
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-ec", script], {
    cwd: "docs/integrations",
    env,
  });
  return stdout;
}

async function readCube(token: string): Promise<string> {
  const { status, body } = await (await startCubeGateway(settings))(token);
  if (status !== 200) throw new Error(body.error);
  return body.tenant;
}

/** What each tool reads in a token, what it must restrict a customer to, and its address. */
const TOOLS: [string, (token: string) => Promise<unknown>, (tenant: string) => unknown, string?][] = [
  ["cube", readCube, (tenant) => tenant],
  [
    "grafana",
    (token) => readGrafana(token, settings, "grafana"),
    (tenant) => ({ login: `customer-${tenant}`, organizations: [`Organization of ${tenant}`] }),
    "https://grafana.example.com/d/sales?kiosk&auth_token=TOKEN",
  ],
  [
    "hasura",
    (token) => readHasura(token, settings),
    (tenant) => ({ role: "viewer", variables: { "x-hasura-tenant": tenant } }),
  ],
  [
    "lightdash",
    (token) => readLightdash(token, SECRETS.lightdash),
    (tenant) => ({ dashboard: expect.any(String), attributes: { tenant } }),
    "https://lightdash.example.com/embed/22222222-2222-4222-8222-222222222222#TOKEN",
  ],
  [
    "metabase",
    (token) => readMetabase(token, SECRETS.metabase),
    (tenant) => ({ dashboard: 1, filter: [tenant] }),
    "https://metabase.example.com/embed/dashboard/TOKEN",
  ],
  [
    "postgrest",
    (token) => readPostgrest(token, SECRETS.postgrest),
    (tenant) => ({ role: "viewer", claims: expect.objectContaining({ tenant }) }),
  ],
  [
    "superset",
    (token) => readSuperset(token, SECRETS.superset),
    (tenant) => ({ dashboard: expect.any(String), conditions: Array(2).fill(`tenant = '${tenant}'`) }),
  ],
];

describe.each(TOOLS)("%s", (tool, read, expected, address) => {
  const isRun = tool !== "cube" || hasCubeGateway;

  test.skipIf(!isRun)("restricts two customers to their own data, also after a rotation", async () => {
    const { token, url } = Object((await requestSession(tool, "acme")).body);
    expect(url?.replace(token, "TOKEN")).toBe(address);
    const { userGroups } = fixture().client;
    const { token: currentToken } = await userGroups.getOrCreate({ providedId: "acme" });
    await userGroups.rotateToken({ currentToken });
    expect(await read(token)).toEqual(expected("acme"));
    expect(await read(await createToken(tool, "globex"))).toEqual(expected("globex"));
  });

  test("refuses a customer without the property", async () => {
    const { status, body } = await requestSession(tool, "incomplete");
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: 0, error: { code: "invalid_field" } });
    expect(Object(body).error.message).toContain("set its property `tenant`");
  });

  test.skipIf(!isRun)("has tokens that cannot be changed", async () => {
    const [header, payload = "", signature] = (await createToken(tool, "acme")).split(".");
    const changed = Buffer.from(payload, "base64url").toString().replaceAll("acme", "globex");
    await expect(read([header, encodePart(JSON.parse(changed)), signature].join("."))).rejects.toThrow();
    await expect(read(`${encodePart({ alg: "none" })}.${payload}.`)).rejects.toThrow();
  });
});

test("the guide's command creates a session", async () => {
  const { token } = JSON.parse(await runDocumentedCommand("/api/embed-session/metabase"));
  expect(await readMetabase(token, SECRETS.metabase)).toEqual({ dashboard: 1, filter: ["acme"] });
  const { iat = 0, exp } = decodeJwt(token);
  expect(exp).toBe(iat + 300);
});

describe("Cube's gateway", () => {
  const [page] = snippetsOf("docs/integrations/cube.md").filter(({ code }) => code.includes("queryRewrite"));
  const { queryRewrite }: Data = new Function(`const module = {}; ${page?.code}; return module.exports;`)();

  test.skipIf(!hasCubeGateway)("accepts missing and foreign tokens outside production", async () => {
    const [production, development] = [
      await startCubeGateway(settings),
      await startCubeGateway(settings, "development"),
    ];
    for (const token of [undefined, await createToken("metabase", "acme"), "no token"]) {
      expect((await production(token)).status).toBe(403);
      const { status, body: securityContext } = await development(token);
      expect({ status, securityContext }).toEqual({ status: 200, securityContext: null });
      // Only the page's function still refuses.
      expect(() => queryRewrite({}, { securityContext })).toThrow("names no tenant");
    }
  });

  test.skipIf(!hasCubeGateway)("checks issuer and audience, if they are set", async () => {
    const token = await createToken("cube", "acme");
    for (const other of [{ audience: "other/Customer" }, { issuer: `${settings.issuer}x` }])
      expect((await (await startCubeGateway({ ...settings, ...other }))(token)).status).toBe(403);
    const { jwkUrl } = settings;
    expect((await (await startCubeGateway({ jwkUrl }))(token)).status).toBe(200);
  });

  test("filters each query by the tenant", () => {
    const query = { measures: ["orders.count"], filters: [{ member: "orders.id", operator: "set" }] };
    expect(queryRewrite(query, { securityContext: { tenant: "acme" } })).toEqual({
      ...query,
      filters: [...query.filters, { member: "orders.tenant", operator: "equals", values: ["acme"] }],
    });
    for (const tenant of ["", null, undefined, ["acme"]])
      expect(() => queryRewrite(query, { securityContext: { tenant } })).toThrow("names no tenant");
  });
});

describe("insecure settings", () => {
  const pathOf = (issuer = "") => new URL(issuer).pathname;

  test("another account's token passes nowhere with this account's keys", async () => {
    const { service, strangerKey } = fixture();
    await createTemplate("hasura", {}, strangerKey);
    const group = { user_group_id: "mallory", name: "Mallory", properties: { tenant: "acme" } };
    await callRest(`${service.url}/api/user`, "GET", strangerKey, group);
    const token = await createToken("hasura", "mallory", strangerKey);
    await expect(readHasura(token, { keys: settings.keys })).rejects.toThrow("no applicable key");
    const url = settings.jwkUrl.replace(pathOf(settings.issuer), pathOf(decodeJwt(token).iss));
    const keys = createRemoteJWKSet(new URL(url));
    await expect(readHasura(token, { ...settings, keys })).rejects.toThrow("JWTNotInIssuer");
    expect(await readHasura(token, { keys })).toMatchObject({ variables: { "x-hasura-tenant": "acme" } });
    await expect(readHasura(token, { keys }, "admin")).rejects.toThrow("not in allowed roles");
  });

  test("Grafana accepts a token for another tool without `expect_claims`", async () => {
    await createTemplate("cube", { name: "other", claims: { sub: "admin", orgs: ["acme"] } });
    const token = await createToken("other", "globex");
    expect(await readGrafana(token, settings)).toMatchObject({ login: "admin" });
    await expect(readGrafana(token, settings, "grafana")).rejects.toThrow("tool claim mismatch");
  });

  test("an empty list is no filter for Metabase and Superset, and in a template only with `allowEmpty`", async () => {
    await createGroup("empty", { tenant: [] });
    for (const tool of ["metabase", "superset"])
      expect((await requestSession(tool, "empty")).status).toBe(400);
    const [secret, other] = [newSecret(), newSecret()];
    const params = { tenant: "{{ userGroup.properties.tenant | allowEmpty }}" };
    await createTemplate("metabase", {
      name: "open",
      claims: { resource: { dashboard: 1 }, params },
      secret,
    });
    expect(await readMetabase(await createToken("open", "empty"), secret)).toMatchObject({ filter: null });
    const { claims } = await readPreset("superset");
    await createTemplate("superset", { name: "all", claims: { ...claims, rls_rules: [] }, secret: other });
    expect(await readSuperset(await createToken("all", "empty"), other)).toMatchObject({ conditions: [] });
  });
});

test("PostgREST's roles and policy show each tenant their rows, and no others", async () => {
  const { owner, drop } = await createTestDatabase("empty");
  const roles = { authenticator: `a_${newSecret().slice(0, 8)}`, viewer: `v_${newSecret().slice(0, 8)}` };
  const [{ code = "" } = {}] = snippetsOf("docs/integrations/postgrest.md").filter(
    ({ language }) => language === "sql",
  );
  await administer(owner, "CREATE TABLE sale AS SELECT unnest(ARRAY['acme', 'globex', NULL]) AS tenant");
  await administer(
    owner,
    code.replaceAll(/authenticator|viewer/g, (name) => Object(roles)[name]),
  );
  const login = { user: roles.authenticator, password: "change-me" };
  const client = new Client(databaseUrl(asRole(owner, login)));
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
    await administer(inject("postgres").server, `DROP ROLE ${Object.values(roles).join()}`);
  });
  const read = async (claims: string) => {
    await client.query(`BEGIN; SET LOCAL ROLE ${roles.viewer}`);
    await client.query("SELECT set_config('request.jwt.claims', $1, true)", [claims]);
    const { rows } = await client.query("SELECT tenant FROM sale");
    await client.query("COMMIT");
    return rows;
  };
  for (const tenant of ["acme", "globex"]) {
    const { claims } = await readPostgrest(await createToken("postgrest", tenant), SECRETS.postgrest);
    expect(await read(JSON.stringify(claims))).toEqual([{ tenant }]);
  }
  for (const claims of ["", "{}", '{"tenant": null}']) expect(await read(claims)).toEqual([]);
  await expect(client.query("SELECT tenant FROM sale")).rejects.toThrow("permission denied");
});
