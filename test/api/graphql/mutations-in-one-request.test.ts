import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = await startGraphql({ webhooks: { allowPrivate: true } });

const GROUPS = "userGroup { mapping { dataSource { name userGroups { totalCount } } } }";
const LOGGED = "userGroup { name history { totalCount } auditLog { totalCount } }";
const ENDPOINT = "name health { pendingDeliveries }";
const group = (id: string) =>
  `createUserGroup(input: { providedId: "${id}", name: "N", mapping: [{ schemaId: "s", dataSource: "sales" }] }) { ${GROUPS} }`;
const rename = (name: string) =>
  `updateUserGroup(input: { by: { providedId: "renamed" }, name: "${name}" }) { ${LOGGED} }`;
const edit = (by: string, name: string) =>
  `updateDataSource(input: { by: { providedId: "${by}" }, name: "${name}" }) { dataSource { name userGroups { totalCount } } }`;
const site = (name: string) =>
  `putSiteConfig(input: { site: "docs", source: { text: "{ \\"name\\": \\"${name}\\", \\"navigation\\": [{ \\"group\\": \\"G\\", \\"pages\\": [\\"a\\"] }] }" } })
    { siteConfig { revision settings { name } revisions { totalCount } } }`;

/** Mutations whose payloads select values that are loaded in batches, and that the mutations before them changed. */
test.each<[what: string, mutations: (endpoint: string) => readonly string[]]>([
  ["groups of a data source", () => [group("a"), group("b"), edit("sales", "New"), group("c")]],
  ["history and audit log of a group", () => [rename("One"), rename("Two"), rename("Three")]],
  [
    "an endpoint of deliveries",
    (id) => [
      `sendTestWebhook(input: { id: "${id}" }) { webhookDelivery { endpoint { ${ENDPOINT} } } }`,
      `updateWebhookEndpoint(input: { id: "${id}", name: "New" }) { webhookEndpoint { ${ENDPOINT} } }`,
      `sendTestWebhook(input: { id: "${id}" }) { webhookDelivery { endpoint { ${ENDPOINT} } } }`,
    ],
  ],
  ["revisions of a site", () => [site("One"), site("Two"), site("Three")]],
])("replies of mutations in one request are those of requests of their own: %s", async (what, mutations) => {
  const keys = [graphql.keys.admin, graphql.keys.testing];
  const replies: unknown[] = [];
  for (const [index, key] of keys.entries()) {
    const input = { providedId: "renamed", name: "Zero" };
    await graphql.mutate("createUserGroup", input, "userGroup { id }", key).catch(() => null);
    const endpoint = { name: what, url: "http://127.0.0.1:1/hook", events: ["SITE_CONFIG_PUBLISHED"] };
    const created = await graphql.mutate("createWebhookEndpoint", endpoint, "webhookEndpoint { id }", key);
    const aliased = mutations(created.webhookEndpoint.id).map((mutation, place) => `m${place}: ${mutation}`);
    const requests = index === 0 ? [aliased.join("\n")] : aliased;
    const data = [];
    for (const request of requests) data.push(await graphql.run(`mutation { ${request} }`, {}, key));
    replies.push(Object.assign({}, ...data));
  }
  const [together, apart] = replies;
  expect(JSON.stringify(together)).not.toContain("null");
  expect(together).toEqual(apart);
});
