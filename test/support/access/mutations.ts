import type { Scope } from "../../../src/domain/accounts/caller.js";
import { goodSite } from "../site-configs/store.js";
import { URL_OF } from "../webhooks/operations.js";
import { type AccessRow, ERRORS, GROUP, mutation, q } from "./row.js";
import type { AccessIds } from "./tenants.js";

const text = q(q(goodSite));

/** A mutation with its input and the selection of its payload, which must be deterministic for created objects. */
type Row = readonly [of: string, input: (ids: AccessIds, ownIds: AccessIds) => string, fields: string];

const rowsFrom = (scope: Scope, rows: readonly Row[]): readonly AccessRow[] =>
  rows.map(([of, input, fields]) => mutation(of, scope, input, fields));

/** The access matrix's rows for mutations. */
export const MUTATIONS: readonly AccessRow[] = [
  ...rowsFrom("read", [
    ["getOrCreateUserGroup", (ids) => `providedId: ${q(ids.providedId)}`, "isNew userGroup { name }"],
  ]),
  ...rowsFrom("embed", [["createEmbedSession", ({ groupBy }) => `by: ${groupBy}`, "__typename"]]),
  ...rowsFrom("write", [
    ["createUserGroup", ({ newId }) => `providedId: ${q(newId)}, name: "New"`, "userGroup { name }"],
    [
      "getOrCreateUserGroup",
      ({ newId }) => `providedId: ${q(newId)}, name: "New"`,
      "isNew userGroup { name }",
    ],
    [
      "upsertUserGroups",
      ({ newId }) => `userGroups: [{ providedId: ${q(newId)}, name: "New" }]`,
      `results { isNew ${ERRORS} }`,
    ],
    ["updateUserGroup", ({ groupBy }) => `by: ${groupBy}, name: "New"`, `userGroup ${GROUP}`],
    ["rotateUserGroupToken", ({ groupBy }) => `by: ${groupBy}`, `userGroup ${GROUP}`],
    ["deleteUserGroup", ({ groupBy }) => `by: ${groupBy}`, "deletedUserGroupId"],
    [
      "rotateUserGroupTokens",
      ({ groupBy }) => `userGroups: [${groupBy}]`,
      `results { userGroup ${GROUP} ${ERRORS} }`,
    ],
    [
      "deleteUserGroups",
      ({ groupBy }) => `userGroups: [${groupBy}]`,
      `results { deletedUserGroupId ${ERRORS} }`,
    ],
    [
      "setUserGroupMapping",
      (ids) => `by: ${ids.groupBy}, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
      `userGroup ${GROUP}`,
    ],
    [
      "replaceUserGroupMapping",
      (ids) => `by: ${ids.groupBy}, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
      `userGroup ${GROUP}`,
    ],
    [
      "setUserGroupMapping",
      (ids, ownIds) =>
        `by: { id: ${q(ownIds.userGroup)} }, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
      `userGroup ${GROUP}`,
    ],
    [
      "replaceUserGroupMapping",
      (ids, ownIds) =>
        `by: { id: ${q(ownIds.userGroup)} }, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
      `userGroup ${GROUP}`,
    ],
    ["removeUserGroupMapping", ({ groupBy }) => `by: ${groupBy}, schemaId: "s"`, `userGroup ${GROUP}`],
    ["createDataSource", ({ newId }) => `providedId: ${q(newId)}, name: "New"`, "dataSource { name }"],
    ["updateDataSource", ({ sourceBy }) => `by: ${sourceBy}, name: "New"`, "dataSource { name }"],
    ["deleteDataSource", ({ sourceBy }) => `by: ${sourceBy}`, "deletedDataSourceId"],
    [
      "putSiteConfig",
      ({ newId }) => `site: ${q(newId)}, source: { text: ${text} }`,
      "siteConfig { revision }",
    ],
    ["patchSiteConfig", ({ site }) => `site: ${q(site)}, patch: { name: "New" }`, "siteConfig { text }"],
    ["restoreSiteConfig", ({ site }) => `site: ${q(site)}, revision: 1`, "siteConfig { text }"],
    ["setSiteConfigVisibility", ({ site }) => `site: ${q(site)}, isPublic: true`, "siteConfig { isPublic }"],
    ["deleteSiteConfig", ({ site }) => `site: ${q(site)}`, "deletedSiteConfigId"],
  ]),
  ...rowsFrom("admin", [
    ["createApiKey", ({ newId }) => `name: ${q(newId)}, scope: READ`, "apiKey { scope }"],
    ["revokeApiKey", ({ apiKey }) => `id: ${q(apiKey)}`, "apiKey { name }"],
    [
      "createWebhookEndpoint",
      ({ newId }) => `name: ${q(newId)}, url: "${URL_OF("new")}"`,
      "webhookEndpoint { url }",
    ],
    [
      "updateWebhookEndpoint",
      (ids) => `id: ${q(ids.webhookEndpoint)}, name: "New"`,
      "webhookEndpoint { url }",
    ],
    ["rotateWebhookSecret", (ids) => `id: ${q(ids.webhookEndpoint)}`, "webhookEndpoint { url }"],
    ["deleteWebhookEndpoint", (ids) => `id: ${q(ids.webhookEndpoint)}`, "deletedWebhookEndpointId"],
    ["sendTestWebhook", (ids) => `id: ${q(ids.webhookEndpoint)}`, "webhookDelivery { event }"],
    ["replayWebhookDelivery", (ids) => `id: ${q(ids.webhookDelivery)}`, "webhookDelivery { event }"],
  ]),
];
