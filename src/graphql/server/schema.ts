import "reflect-metadata";
import { type GraphQLSchema, lexicographicSortSchema, OperationTypeNode, printSchema } from "graphql";
import { buildSchemaSync } from "type-graphql";
import type { Services } from "../../services/services.js";
import { ApiKeyResolver } from "../accounts/api-key-resolver.js";
import { AuditResolver } from "../audit/audit-resolver.js";
import { ViewerResolver } from "../authentication/viewer-resolver.js";
import { DataSourceListResolver } from "../data-sources/data-source-list-resolver.js";
import { DataSourceMutations } from "../data-sources/data-source-mutations.js";
import { DataSourceResolver } from "../data-sources/data-source-resolver.js";
import {
  SiteConfigContentResolver,
  SiteConfigRevisionContentResolver,
} from "../site-configs/site-config-content-resolver.js";
import { SiteConfigMutations } from "../site-configs/site-config-mutations.js";
import { SiteConfigResolver } from "../site-configs/site-config-resolver.js";
import { MappingMutations } from "../user-groups/mapping-mutations.js";
import { UpsertMutation } from "../user-groups/upsert-mutation.js";
import { UserGroupListResolver } from "../user-groups/user-group-list-resolver.js";
import { UserGroupMutations } from "../user-groups/user-group-mutations.js";
import { UserGroupResolver } from "../user-groups/user-group-resolver.js";
import { UserGroupSubscription } from "../user-groups/user-group-subscription.js";
import { WebhookMutations } from "../webhooks/webhook-mutations.js";
import { WebhookHealthResolver, WebhookResolver } from "../webhooks/webhook-resolver.js";
import { NodeResolver } from "./node-resolver.js";

const ROOT_DESCRIPTIONS: Readonly<Record<OperationTypeNode, string>> = {
  [OperationTypeNode.QUERY]: "What can be read.",
  [OperationTypeNode.MUTATION]: "What can be changed; several changes run in their order, each by itself.",
  [OperationTypeNode.SUBSCRIPTION]: "What can be watched.",
};

/** Builds the schema, with resolvers upon the services. */
export function createSchema(services: Services): GraphQLSchema {
  return build([
    new ApiKeyResolver(services.apiKeys),
    new AuditResolver(services.auditLog),
    new DataSourceListResolver(services.listing),
    new DataSourceMutations(services.dataSources),
    new DataSourceResolver(),
    new MappingMutations(services.mappings, services.userGroups),
    new NodeResolver(),
    new SiteConfigContentResolver(),
    new SiteConfigMutations(services.siteConfigs),
    new SiteConfigResolver(services.siteConfigReader),
    new SiteConfigRevisionContentResolver(),
    new UpsertMutation(services.userGroupUpserts),
    new UserGroupListResolver(services.listing),
    new UserGroupMutations(services.userGroups),
    new UserGroupResolver(services.userGroupReader),
    new UserGroupSubscription(),
    new ViewerResolver(),
    new WebhookHealthResolver(),
    new WebhookMutations(services.webhooks),
    new WebhookResolver(services.webhooks),
  ]);
}

/** Builds the schema without resolvers: to print it, or to check documents against. */
export function createBareSchema(): GraphQLSchema {
  return build([]);
}

/** The schema in the schema definition language, as committed in schema.graphql: types and fields in the alphabet's order. */
export function printSdl(): string {
  return `${printSchema(lexicographicSortSchema(createBareSchema()))}\n`;
}

function build(resolvers: readonly object[]): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      ApiKeyResolver,
      AuditResolver,
      DataSourceListResolver,
      DataSourceMutations,
      DataSourceResolver,
      MappingMutations,
      NodeResolver,
      SiteConfigContentResolver,
      SiteConfigMutations,
      SiteConfigResolver,
      SiteConfigRevisionContentResolver,
      UpsertMutation,
      UserGroupListResolver,
      UserGroupMutations,
      UserGroupResolver,
      UserGroupSubscription,
      ViewerResolver,
      WebhookHealthResolver,
      WebhookMutations,
      WebhookResolver,
    ],
    container: {
      get: (resolverClass) => resolvers.find((resolver) => resolver instanceof resolverClass),
    },
    // TypeGraphQL asks for one, though each subscription here has its own source.
    pubSub: { publish: refusePubSub, subscribe: refusePubSub },
    // The domain's own parsers check the input, the same for both faces.
    validate: false,
  });
  describeRoots(schema);
  return schema;
}

// TypeGraphQL has no place for the descriptions of these types, which it makes itself.
function describeRoots(schema: GraphQLSchema): void {
  for (const operation of Object.values(OperationTypeNode)) {
    const type = schema.getRootType(operation);
    if (type) type.description = ROOT_DESCRIPTIONS[operation];
  }
}

function refusePubSub(): never {
  throw new Error("Nothing is published by topic.");
}
