import { buildSchema, type GraphQLField } from "graphql";
import { beforeAll, expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { generateOperations, type KnownValues } from "../../support/graphql/operation-generator.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

// The operations select everything, which exceeds the limits for clients.
const graphql = useGraphql({ limits: { depth: 100, selections: 20_000, cost: Number.MAX_SAFE_INTEGER } });
const schema = buildSchema(printSdl());
const MARK = "victim's own";

/** Values that an attacker may know, for every argument of that name. */
let known: KnownValues;
/** Values that no reply may contain. */
let secrets: readonly string[];
let attackers: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { run, keys, strangerKey } = graphql();
  const { createDataSource } = await run(
    `mutation { createDataSource(input: { providedId: "victim-source", name: "${MARK} source" }) {
      dataSource { id dataSourceId }
    } }`,
  );
  const source = createDataSource.dataSource;
  const { createWebhookEndpoint } = await run(
    `mutation { createWebhookEndpoint(input: { name: "${MARK} hook", url: "https://93.184.216.34/victim" }) {
      webhookEndpoint { id } secret
    } }`,
  );
  const victim = await createUserGroup(graphql(), "victim", {
    name: `${MARK} group`,
    properties: { secret: `${MARK} property` },
    mapping: [entry("victim-schema", "victim-source")],
  });
  const { createApiKey } = await run(
    `mutation { createApiKey(input: { name: "${MARK} key", scope: ADMIN }) { apiKey { id } secret } }`,
  );
  const { siteConfig } = await changeSite(graphql(), "put", {
    site: "victim-site",
    document: { ...goodSite, name: `${MARK} site` },
  });
  const { webhookDeliveries } = await run("{ webhookDeliveries { nodes { id } } }");
  const createToken = async (key: string) => {
    const create = `mutation { getOrCreateUserGroup(input: { providedId: "own", name: "Own" }) { userGroup { token } } }`;
    return (await run(create, {}, key)).getOrCreateUserGroup.userGroup.token;
  };
  const { webhookEndpoint } = createWebhookEndpoint;
  const deliveryId = webhookDeliveries.nodes[0].id;
  const ids = [victim.id, source.id, createApiKey.apiKey.id, siteConfig.id, webhookEndpoint.id, deliveryId];
  known = {
    id: ids,
    ids: [ids],
    providedId: ["victim", "victim-source"],
    providedIds: [["victim", "victim-source"]],
    teamId: [victim.teamId],
    dataSourceId: [source.dataSourceId],
    token: [victim.token],
    schemaId: ["victim-schema"],
    site: ["victim-site"],
    url: ["https://93.184.216.34/own"],
    endpointId: [webhookEndpoint.id],
    document: [{ ...goodSite, name: "Own" }],
    first: [100],
    last: [100],
    after: [null],
    before: [null],
  };
  secrets = [
    `${MARK} source`,
    `${MARK} group`,
    `${MARK} property`,
    `${MARK} key`,
    `${MARK} site`,
    victim.token,
    createApiKey.secret,
    `${MARK} hook`,
    createWebhookEndpoint.secret,
  ];
  attackers = {
    "another account": `Token ${strangerKey}`,
    "the other environment": `Token ${keys.testing}`,
    "another group of the environment": `Bearer ${await createToken(keys.admin)}`,
    "another account's group": `Bearer ${await createToken(strangerKey)}`,
  };
});

test.each(rootFields())(
  "%s %s neither finds nor changes another tenant's data",
  async (kind, name, field) => {
    const operations = generateOperations(schema, kind, field, known);
    const before = await victimState();
    for (const [who, authorization] of Object.entries(attackers)) {
      for (const operation of operations) {
        const reply = await callRest(`${graphql().service.url}/graphql`, "POST", undefined, operation, {
          authorization,
        });
        const text = JSON.stringify(reply.body);
        const details = `${who}: ${JSON.stringify(operation)} → ${text}`;
        for (const secret of secrets) expect(text.includes(secret), details).toBe(false);
        expect(reply.status, details).not.toBe(500);
        expect(text, details).not.toMatch(
          /GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT|GRAPHQL_PARSE_FAILED|QUERY_TOO|TOO_MANY/,
        );
      }
    }
    expect(await victimState(), name).toEqual(before);
  },
);

test("the owner finds all of it with the same operations", async () => {
  const { service, keys } = graphql();
  const found: Record<string, boolean> = {};
  for (const [kind, name, field] of rootFields()) {
    if (kind !== "query") continue;
    for (const operation of generateOperations(schema, kind, field, known)) {
      const { body } = await callRest(`${service.url}/graphql`, "POST", keys.admin, operation);
      found[name] ||= JSON.stringify(body).includes(MARK);
    }
  }
  // These reveal nothing that is stored.
  const { viewer, validateSiteConfig, auditDays, ...others } = found;
  expect([viewer, validateSiteConfig, auditDays]).toEqual([false, false, false]);
  expect(Object.values(others)).toEqual(Object.keys(others).map(() => true));
});

function rootFields(): ["query" | "mutation", string, GraphQLField<unknown, unknown>][] {
  return [
    ...Object.values(schema.getQueryType()?.getFields() ?? {}).map(
      (field) => ["query", field.name, field] as const,
    ),
    ...Object.values(schema.getMutationType()?.getFields() ?? {}).map(
      (field) => ["mutation", field.name, field] as const,
    ),
  ].map(([kind, name, field]) => [kind, name, field]);
}

/** Everything in the database that belongs to the victim. */
async function victimState(): Promise<unknown> {
  const { service, account } = graphql();
  return Promise.all(
    [
      `SELECT * FROM user_group WHERE account_id = ${account.accountId} AND environment = 'Customer' AND provided_id = 'victim'`,
      `SELECT * FROM mapping_entry WHERE account_id = ${account.accountId} AND schema_id = 'victim-schema' AND environment = 'Customer'`,
      `SELECT * FROM data_source WHERE account_id = ${account.accountId} AND environment = 'Customer'`,
      `SELECT id, revoked_at FROM api_key WHERE account_id = ${account.accountId} AND name LIKE '%victim%'`,
      `SELECT * FROM site_config JOIN site_config_revision USING (account_id, environment)
        WHERE account_id = ${account.accountId} AND environment = 'Customer' AND site = 'victim-site'`,
      `SELECT * FROM webhook_endpoint LEFT JOIN webhook_delivery ON webhook_delivery.account_id = webhook_endpoint.account_id
        AND endpoint_id = webhook_endpoint.id
        WHERE webhook_endpoint.account_id = ${account.accountId} AND webhook_endpoint.environment = 'Customer'
        ORDER BY webhook_delivery.id`,
    ].map((query) => service.query(query)),
  );
}
