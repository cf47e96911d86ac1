import { describe, expect, test } from "vitest";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startService, type TestService } from "../../support/service/test-service.js";
import { avoidMidnight } from "../../support/service/utc-day.js";
import { goodSite } from "../../support/site-configs/store.js";
import { countsOf, startTransferCommands, toLines } from "../../support/transfer/commands.js";
import { startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, FAST, type WebhookTenant } from "../../support/webhooks/tenant.js";

await avoidMidnight();

const SEQUENCES = [
  "user_group_team_id",
  "data_source_id_seq",
  "api_key_id_seq",
  "site_config_id_seq",
  "audit_entry_id_seq",
  "webhook_endpoint_id_seq",
  "webhook_delivery_id_seq",
];
const service = await startService({ webhooks: { allowPrivate: true, times: FAST } });
const commands = await startTransferCommands();

/** Has the next IDs follow these numbers. */
async function continueAfter(service: TestService, last: number): Promise<void> {
  for (const sequence of SEQUENCES) await service.query(`SELECT setval('${sequence}', ${last})`);
}

const nodeId = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString("base64url");

/** More than 32 bits, and shortly before the end of what JSON numbers keep. */
const last = 2 ** 53 - 1 - 200;

describe("IDs about 2^53", () => {
  test("are exact over both APIs, in webhooks, site configurations and the audit log", async () => {
    service.services.webhookDispatcher.start(service.server.log);
    await continueAfter(service, last);
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    const endpoint = await tenant.listen(receiver.url);
    expect(endpoint.id).toBe(nodeId("WebhookEndpoint", last + 1));

    const sources = await tenant.run("{ dataSources { nodes { id dataSourceId providedId } } }");
    const ids = new Set<number>(sources.dataSources.nodes.map((source: Data) => source.dataSourceId));
    const [source] = sources.dataSources.nodes;
    expect(Math.min(...ids)).toBe(last + 1);
    expect(ids.size).toBe(2);
    expect(source.id).toBe(nodeId("DataSource", source.dataSourceId));

    const rest = await useRest(service, tenant, source);
    expect(rest.first).toBeGreaterThan(last);
    await useGraphql(tenant, rest, source);

    const put = `mutation ($input: PutSiteConfigInput!) { putSiteConfig(input: $input) { siteConfig { id } userErrors { code } } }`;
    const document = { ...goodSite, name: "Wide" };
    for (const site of [goodSite, document]) {
      const { putSiteConfig } = await tenant.run(put, {
        input: { site: "docs", source: { document: site } },
      });
      expect(putSiteConfig).toEqual({ siteConfig: { id: nodeId("SiteConfig", last + 1) }, userErrors: [] });
    }
    const revisions = `query ($id: ID!, $first: Int, $after: String) { node(id: $id) { ... on SiteConfig { site
      revisions(first: $first, after: $after) { nodes { id revision } pageInfo { endCursor } } } } }`;
    const site = { id: nodeId("SiteConfig", last + 1), first: 1 };
    const newest = (await tenant.run(revisions, site)).node.revisions;
    const after = newest.pageInfo.endCursor;
    const oldest = (await tenant.run(revisions, { ...site, after })).node.revisions;
    expect([newest.nodes[0].revision, oldest.nodes[0].revision]).toEqual([2, 1]);

    await readAudit(tenant, rest.first, last);
    await expect
      .poll(() => receiver.received.filter(({ event }) => event.type === "user_group.deleted"))
      .toHaveLength(1);
    const created = receiver.received.find(({ event }) => event.type === "user_group.created");
    expect(created?.event.data.userGroup).toMatchObject({
      id: nodeId("UserGroup", rest.first),
      teamId: rest.first,
    });
    const [delivery] = await tenant.deliveries();
    expect(delivery).toMatchObject({
      id: nodeId("WebhookDelivery", last + 1),
      endpoint: { id: endpoint.id },
    });
    expect((await tenant.run("query ($id: ID!) { node(id: $id) { id } }", { id: delivery.id })).node.id).toBe(
      delivery.id,
    );
    expect(await tenant.replay(delivery.id)).toMatchObject({ userErrors: [] });
  });

  test("are kept by an export that is imported again", async () => {
    await continueAfter(commands.service, last);
    const tenant = await commands.createTenant();
    const groups = await commands.write(
      "in.jsonl",
      toLines([
        { provided_id: "a", name: "A", mapping: { s: "sales" }, token: `imported-${last}-a` },
        { provided_id: "b", name: "B", mapping: { s: "support" } },
      ]),
    );
    expect(countsOf(await tenant.import({ groups }))).toMatchObject({ groups: [2, 2, 0, 0, 0] });
    const [row] = await commands.service.query("SELECT min(user_group_id) > $1 AS wide FROM mapping_entry", [
      last,
    ]);
    expect(row).toEqual({ wide: true });
    const paths = { groups: commands.at("groups.jsonl") };
    expect(await tenant.export({ ...paths, withTokens: true })).toMatchObject({ code: 0 });
    expect(await commands.read("groups.jsonl")).toContain('"mapping":{"s":"sales"}');
    expect(countsOf(await tenant.import(paths))).toMatchObject({ groups: [2, 0, 0, 2, 0] });
    expect(await tenant.viewer(`imported-${last}-a`)).toMatchObject({
      body: { data: { viewer: { userGroup: { name: "A" } } } },
    });
  });
});

/** Creates, reads, changes and rotates a group over REST, and refers to a data source by its internal ID. */
async function useRest(service: TestService, { key }: WebhookTenant, source: Data) {
  const call = async (method: string, body: object) => {
    const reply = await callRest(`${service.url}/api/user`, method, key, body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return Object(reply.body);
  };
  const mapping = { main: String(source.dataSourceId) };
  const created = await call("GET", { user_group_id: "one", name: "One", mapping });
  const first: number = created.user_group.team_id;
  expect(Number.isSafeInteger(first)).toBe(true);
  const read = await call("GET", { user_group_id: "one" });
  expect(read).toEqual({ ...created, new_user_group: false });
  const put = await call("PUT", { user_group_id: "one", name: "Two", mapping });
  expect(put.user_group.team_id).toBe(first);
  const rotated = await call("POST", { current_token: created.user_group.token });
  expect(rotated.user_group.team_id).toBe(first);
  for (const unknown of [String(source.dataSourceId + 50), "9007199254740993", "9".repeat(30)]) {
    const reply = await callRest(`${service.url}/api/user`, "PUT", key, {
      user_group_id: "one",
      mapping: { main: unknown },
    });
    expect(reply).toMatchObject({
      status: 422,
      body: { error: { code: "unknown_data_source", field: "mapping.main" } },
    });
  }
  const gone = await call("GET", { user_group_id: "gone", name: "Gone" });
  await call("DELETE", { current_token: gone.user_group.token });
  return { first };
}

const GROUP = "id teamId providedId mapping { schemaId dataSource { id dataSourceId } }";

async function useGraphql({ run }: WebhookTenant, { first }: { first: number }, source: Data): Promise<void> {
  const { id, dataSourceId } = source;
  const mapping = [{ schemaId: "main", dataSource: { id, dataSourceId } }];
  const one = { id: nodeId("UserGroup", first), teamId: first, providedId: "one", mapping };
  // The third reply is that of the compiled operation.
  for (let repeated = 0; repeated < 3; repeated += 1) {
    const by = `query ($by: UserGroupBy!) { userGroup(by: $by) { ${GROUP} } }`;
    expect(await run(by, { by: { teamId: first } })).toEqual({ userGroup: one });
    expect(await run(by, { by: { id: one.id } })).toEqual({ userGroup: one });
    expect(await run(`{ userGroup(by: { teamId: ${first} }) { ${GROUP} } }`)).toEqual({ userGroup: one });
    const node = `query ($id: ID!) { node(id: $id) { ... on UserGroup { ${GROUP} } } }`;
    expect(await run(node, { id: one.id })).toEqual({ node: one });
    const ofSource = `query ($by: DataSourceBy!) { dataSource(by: $by) { dataSourceId userGroups { nodes { teamId } } } }`;
    const expected = { dataSourceId, userGroups: { nodes: [{ teamId: first }] } };
    expect(await run(ofSource, { by: { dataSourceId } })).toEqual({ dataSource: expected });
  }
  const create = `mutation ($id: String!) { createUserGroup(input: { providedId: $id, name: "New" }) { userGroup { teamId } } }`;
  const teamIds = [first];
  for (const providedId of ["two", "three"])
    teamIds.push((await run(create, { id: providedId })).createUserGroup.userGroup.teamId);
  expect(new Set(teamIds).size).toBe(3);
  expect(await pages(run, "TEAM_ID")).toEqual(teamIds.toSorted((a, b) => a - b));
  expect(await pages(run, "NAME")).toEqual([...teamIds.slice(1), first]);
}

/** Reads the list of user groups in pages of one. */
async function pages(run: WebhookTenant["run"], field: string): Promise<number[]> {
  const list = `query ($after: String, $field: UserGroupOrderField!) {
    userGroups(first: 1, after: $after, orderBy: { field: $field, direction: ASC }) { nodes { teamId } pageInfo { hasNextPage endCursor } }
  }`;
  const found: number[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { userGroups } = await run(list, { after, field });
    found.push(...userGroups.nodes.map((group: Data) => group.teamId));
    after = userGroups.pageInfo.endCursor;
    more = userGroups.pageInfo.hasNextPage;
  }
  return found;
}

async function readAudit({ run }: WebhookTenant, first: number, last: number): Promise<void> {
  const list = `{ auditLog(first: 100) { nodes { id subject { __typename ... on UserGroup { teamId } } } } }`;
  const entries: Data[] = (await run(list)).auditLog.nodes;
  const { apiKeys } = await run("{ apiKeys { nodes { id auditDays { changes } } } }");
  const [key] = apiKeys.nodes;
  expect(key.id).toBe(nodeId("ApiKey", last + 1));
  expect(key.auditDays.at(-1).changes).toBeGreaterThan(1);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  expect(entries).toContainEqual(
    expect.objectContaining({ subject: { __typename: "UserGroup", teamId: first } }),
  );
  expect(entries.map(({ id }) => id)).toContain(nodeId("AuditEntry", last + 1));
}
