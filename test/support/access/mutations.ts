import { goodSite } from "../site-configs/store.js";
import { URL_OF } from "../webhooks/operations.js";
import { type AccessRow, ERRORS, GROUP, mutation, q } from "./row.js";

const text = q(q(goodSite));

/** The access matrix's rows for mutations. */
export const MUTATIONS: readonly AccessRow[] = [
  mutation(
    "createUserGroup",
    "write",
    ({ newId }) => `providedId: ${q(newId)}, name: "New"`,
    "userGroup { name }",
  ),
  mutation(
    "getOrCreateUserGroup",
    "read",
    (ids) => `providedId: ${q(ids.providedId)}`,
    "isNew userGroup { name }",
  ),
  mutation(
    "getOrCreateUserGroup",
    "write",
    ({ newId }) => `providedId: ${q(newId)}, name: "New"`,
    "isNew userGroup { name }",
  ),
  mutation(
    "upsertUserGroups",
    "write",
    ({ newId }) => `userGroups: [{ providedId: ${q(newId)}, name: "New" }]`,
    `results { isNew ${ERRORS} }`,
  ),
  mutation("updateUserGroup", "write", ({ groupBy }) => `by: ${groupBy}, name: "New"`, `userGroup ${GROUP}`),
  mutation("createEmbedSession", "embed", ({ groupBy }) => `by: ${groupBy}`, "__typename"),
  mutation("rotateUserGroupToken", "write", ({ groupBy }) => `by: ${groupBy}`, `userGroup ${GROUP}`),
  mutation("deleteUserGroup", "write", ({ groupBy }) => `by: ${groupBy}`, "deletedUserGroupId"),
  mutation(
    "rotateUserGroupTokens",
    "write",
    ({ groupBy }) => `userGroups: [${groupBy}]`,
    `results { userGroup ${GROUP} ${ERRORS} }`,
  ),
  mutation(
    "deleteUserGroups",
    "write",
    ({ groupBy }) => `userGroups: [${groupBy}]`,
    `results { deletedUserGroupId ${ERRORS} }`,
  ),
  mutation(
    "setUserGroupMapping",
    "write",
    (ids) => `by: ${ids.groupBy}, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
    `userGroup ${GROUP}`,
  ),
  mutation(
    "replaceUserGroupMapping",
    "write",
    (ids) => `by: ${ids.groupBy}, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
    `userGroup ${GROUP}`,
  ),
  mutation(
    "setUserGroupMapping",
    "write",
    (ids, ownIds) =>
      `by: { id: ${q(ownIds.userGroup)} }, schemaId: "s", dataSource: ${q(ids.sourceProvidedId)}`,
    `userGroup ${GROUP}`,
  ),
  mutation(
    "replaceUserGroupMapping",
    "write",
    (ids, ownIds) =>
      `by: { id: ${q(ownIds.userGroup)} }, mapping: [{ schemaId: "s", dataSource: "${ids.dataSourceId}" }]`,
    `userGroup ${GROUP}`,
  ),
  mutation(
    "removeUserGroupMapping",
    "write",
    ({ groupBy }) => `by: ${groupBy}, schemaId: "s"`,
    `userGroup ${GROUP}`,
  ),
  mutation(
    "createDataSource",
    "write",
    ({ newId }) => `providedId: ${q(newId)}, name: "New"`,
    "dataSource { name }",
  ),
  mutation(
    "updateDataSource",
    "write",
    ({ sourceBy }) => `by: ${sourceBy}, name: "New"`,
    "dataSource { name }",
  ),
  mutation("deleteDataSource", "write", ({ sourceBy }) => `by: ${sourceBy}`, "deletedDataSourceId"),
  mutation(
    "putSiteConfig",
    "write",
    ({ newId }) => `site: ${q(newId)}, source: { text: ${text} }`,
    "siteConfig { revision }",
  ),
  mutation(
    "patchSiteConfig",
    "write",
    ({ site }) => `site: ${q(site)}, patch: { name: "New" }`,
    "siteConfig { text }",
  ),
  mutation(
    "restoreSiteConfig",
    "write",
    ({ site }) => `site: ${q(site)}, revision: 1`,
    "siteConfig { text }",
  ),
  mutation(
    "setSiteConfigVisibility",
    "write",
    ({ site }) => `site: ${q(site)}, isPublic: true`,
    "siteConfig { isPublic }",
  ),
  mutation("deleteSiteConfig", "write", ({ site }) => `site: ${q(site)}`, "deletedSiteConfigId"),
  mutation("createApiKey", "admin", ({ newId }) => `name: ${q(newId)}, scope: READ`, "apiKey { scope }"),
  mutation("revokeApiKey", "admin", ({ apiKey }) => `id: ${q(apiKey)}`, "apiKey { name }"),
  mutation(
    "createWebhookEndpoint",
    "admin",
    ({ newId }) => `name: ${q(newId)}, url: "${URL_OF("new")}"`,
    "webhookEndpoint { url }",
  ),
  mutation(
    "updateWebhookEndpoint",
    "admin",
    (ids) => `id: ${q(ids.webhookEndpoint)}, name: "New"`,
    "webhookEndpoint { url }",
  ),
  mutation(
    "rotateWebhookSecret",
    "admin",
    (ids) => `id: ${q(ids.webhookEndpoint)}`,
    "webhookEndpoint { url }",
  ),
  mutation(
    "deleteWebhookEndpoint",
    "admin",
    (ids) => `id: ${q(ids.webhookEndpoint)}`,
    "deletedWebhookEndpointId",
  ),
  mutation("sendTestWebhook", "admin", (ids) => `id: ${q(ids.webhookEndpoint)}`, "webhookDelivery { event }"),
  mutation(
    "replayWebhookDelivery",
    "admin",
    (ids) => `id: ${q(ids.webhookDelivery)}`,
    "webhookDelivery { event }",
  ),
];
