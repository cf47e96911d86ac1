import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadReplicas } from "../../../src/persistence/database/read-replicas.js";
import type { Statement } from "../../../src/persistence/shared/statement.js";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import {
  type ReplicatedPostgres,
  replicasOf,
  startReplicatedPostgres,
} from "../../support/postgres/replicated-postgres.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService, type TestAccount, type TestService } from "../../support/service/test-service.js";

/** Large enough that a paused standby does not lag too much during a test. */
const PATIENT_MS = 600_000;
const EVENTUAL = { "x-read-consistency": "eventual" };
const STRONG = { "x-read-consistency": "strong" };

let postgres: ReplicatedPostgres;
let replicas: ReadReplicas;
let service: TestService;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  const { primary, standby } = postgres;
  replicas = replicasOf(primary, [standby.target], PATIENT_MS);
  service = await startTestService({ use: primary, replicas });
  account = await service.createAccount();
  key = (await account.createKey()).secret;
  await postgres.catchUp();
  await replicas.start({ warn: () => undefined });
});
afterAll(async () => {
  await service?.close();
  await replicas?.close();
  await postgres?.close();
});

/** Runs an operation. @returns its data */
async function run(query: string, headers = {}, as = key): Promise<Data> {
  const { body } = await callRest(`${service.url}/graphql`, "POST", as, { query }, headers);
  const { data, errors } = Object(body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function getOrCreate(providedId: string, headers = {}): Promise<Data> {
  const body = { user_group_id: providedId, name: `Group ${providedId}`, mapping: { sales: "sales" } };
  return (await callRest(`${service.url}/api/user`, "GET", key, body, headers)).body;
}

/** Runs a function while the standby's replay is paused. */
async function whileReplayPaused(work: () => Promise<void>): Promise<void> {
  await postgres.pause();
  await work().finally(() => postgres.resume());
  await postgres.catchUp();
}

const GROUPS = "{ userGroups(first: 50) { totalCount nodes { providedId } } }";
const namesIn = ({ userGroups }: Data) => userGroups.nodes.map((node: Data) => node.providedId);

test("reads from a replica only when the request allows stale data", () =>
  whileReplayPaused(async () => {
    await getOrCreate("unsaid");
    expect(namesIn(await run(GROUPS))).toContain("unsaid");
    expect(namesIn(await run(GROUPS, STRONG))).toContain("unsaid");
    expect(namesIn(await run(GROUPS, EVENTUAL))).not.toContain("unsaid");
  }));

describe("is read from a replica", () => {
  const group = (fields: string) => `{ userGroup(by: {providedId: "known"}) { ${fields} } }`;
  const change = `mutation { createDataSource(input: {providedId: "late", name: "Late"}) { userErrors { code } }
    putSiteConfig(input: {site: "known", source: {document: {name: "New", navigation: [{group: "", pages: ["a"]}]}}}) { userErrors { code } }
    updateUserGroup(input: {by: {providedId: "known"}, name: "New", mapping: []}) { userErrors { code } } }`;
  beforeAll(async () => {
    await getOrCreate("known");
    await run(`mutation { putSiteConfig(input: {site: "known", isPublic: true,
      source: {document: {name: "Old", navigation: [{group: "", pages: ["a"]}]}}}) { userErrors { code } } }`);
    await postgres.catchUp();
    await postgres.pause();
    await run(change);
  });
  afterAll(() => postgres.resume());

  test.each<[string, string, Data, Data]>([
    ["a single group", group("name"), "Group known", "New"],
    ["its mapping", group("mapping { schemaId }"), [{ schemaId: "sales" }], []],
    ["data sources", "{ dataSources(first: 9) { totalCount } }", 2, 3],
    [
      "the audit log",
      `{ auditLog(first: 1) { nodes { action } } }`,
      "SITE_CONFIG_PUBLISHED",
      "USER_GROUP_UPDATED",
    ],
    ["a site configuration", `{ siteConfig(site: "known") { settings { name } } }`, "Old", "New"],
    ["its revisions", `{ siteConfig(site: "known") { revisions(first: 9) { totalCount } } }`, 1, 2],
  ])("%s", async (_, query, old, current) => {
    const only = (data: Data): Data => {
      const values = typeof data === "object" && !Array.isArray(data) ? Object.values(data) : [];
      return values.length === 1
        ? only(values[0])
        : Array.isArray(data) && data[0]?.action
          ? data[0].action
          : data;
    };
    // Twice: interpreted, then compiled on the fast path.
    for (const _ of [1, 2]) {
      expect(only(await run(query, EVENTUAL))).toEqual(old);
      expect(only(await run(query))).toEqual(current);
    }
  });

  test("the file of a site, with a key and without", async () => {
    const name = async (path: string, headers: object, as?: string) => {
      const { body } = await callRest(`${service.url}/site-config/known${path}`, "GET", as, undefined, {
        ...headers,
      });
      return Object(body).name;
    };
    const open = `?account=${encodeURIComponent(account.name)}`;
    expect([await name("", EVENTUAL, key), await name("", {}, key)]).toEqual(["Old", "New"]);
    expect([await name(open, EVENTUAL), await name(open, {})]).toEqual(["Old", "New"]);
  });
});

describe("is never read from a replica", () => {
  test("get-or-create", () =>
    whileReplayPaused(async () => {
      expect(await getOrCreate("twice", EVENTUAL)).toMatchObject({ success: 1, new_user_group: true });
      expect(await getOrCreate("twice", EVENTUAL)).toMatchObject({ success: 1, new_user_group: false });
      const mutation = `mutation { getOrCreateUserGroup(input: {providedId: "twice", name: "x"}) { isNew userGroup { mapping { schemaId } } } }`;
      expect((await run(mutation, EVENTUAL)).getOrCreateUserGroup).toEqual({
        isNew: false,
        userGroup: { mapping: [{ schemaId: "sales" }] },
      });
    }));

  test("the result of a mutation", () =>
    whileReplayPaused(async () => {
      const mutation = `mutation { createUserGroup(input: {providedId: "shown", name: "x", mapping: [{schemaId: "a", dataSource: "sales"}]})
        { userGroup { mapping { schemaId dataSource { name } } } userErrors { code } } }`;
      for (const headers of [EVENTUAL, { ...EVENTUAL, "idempotency-key": "shown" }]) {
        const { createUserGroup } = await run(
          mutation.replace("shown", `shown${Object.keys(headers).length}`),
          headers,
        );
        expect(createUserGroup.userGroup.mapping).toEqual([
          { schemaId: "a", dataSource: { name: "Sales database" } },
        ]);
      }
    }));

  test("authentication", () =>
    whileReplayPaused(async () => {
      const { user_group: created } = await getOrCreate("viewer");
      const viewer = async (token: string) => {
        const query = "{ viewer { userGroup { name } } }";
        const headers = { ...EVENTUAL, authorization: `Bearer ${token}` };
        return (await callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers)).status;
      };
      const byToken = (token: string) =>
        run(`{ userGroup(by: {token: "${token}"}) { providedId } }`, EVENTUAL);
      expect(await viewer(created.token)).toBe(200);
      expect(await byToken(created.token)).toEqual({ userGroup: { providedId: "viewer" } });
      const body = { current_token: created.token };
      await callRest(`${service.url}/api/user`, "POST", key, body);
      expect(await viewer(created.token)).toBe(401);
      expect(await byToken(created.token)).toEqual({ userGroup: null });
      const late = (await account.createKey()).secret;
      expect(
        (await run("{ dataSources(first: 1) { totalCount } }", EVENTUAL, late)).dataSources.totalCount,
      ).toBe(3);
      const keys = (await run("{ apiKeys(first: 1) { totalCount } }")).apiKeys.totalCount;
      expect((await run("{ apiKeys(first: 1) { totalCount } }", EVENTUAL)).apiKeys.totalCount).toBe(keys - 1);
    }));
});

test("row-level security applies on a replica", async () => {
  const { primary } = postgres;
  const stranger = await service.createAccount();
  await postgres.catchUp();
  const all: Statement = { access: "read", text: "SELECT account_id FROM user_group" };
  const replica = replicas.choose();
  const on = (accountId: number) =>
    replica?.of({ accountId, environment: "Customer" }).run<{ account_id: number }>(all, []);
  const rows = await on(account.accountId);
  expect(rows?.length).toBeGreaterThan(0);
  expect(new Set(rows?.map((row) => row.account_id))).toEqual(new Set([account.accountId]));
  expect(await on(stranger.accountId)).toEqual([]);
  // And the service's sessions there cannot write, whatever runs in them.
  await expect(
    replica?.of({ accountId: 1 }).run({ access: "write", text: "DELETE FROM user_group" }, []),
  ).rejects.toThrow();
  expect(primary.target).toMatchObject({ user: "user_groups_runtime" });
});

test("rejects any other value", async () => {
  for (const path of ["/graphql", "/site-config/known"]) {
    const reply = await callRest(
      `${service.url}${path}`,
      path === "/graphql" ? "POST" : "GET",
      key,
      path === "/graphql" ? { query: GROUPS } : undefined,
      { "x-read-consistency": "stale" },
    );
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body)).toContain("X-Read-Consistency must be strong or eventual");
  }
});
