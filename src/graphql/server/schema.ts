import { type GraphQLSchema, lexicographicSortSchema, OperationTypeNode, printSchema } from "graphql";
import { buildSchemaSync } from "type-graphql";
import type { Services } from "../../services/services.js";
import { ApiKeyResolver } from "../accounts/api-key-resolver.js";
import { AuditResolver } from "../audit/resolver.js";
import { ViewerResolver } from "../authentication/viewer-resolver.js";
import { DataSourceListResolver } from "../data-sources/list-resolver.js";
import { DataSourceMutations } from "../data-sources/mutations.js";
import { DataSourceResolver } from "../data-sources/resolver.js";
import {
  SiteConfigContentResolver,
  SiteConfigRevisionContentResolver,
} from "../site-configs/content-resolver.js";
import { SiteConfigMutations } from "../site-configs/mutations.js";
import { SiteConfigResolver } from "../site-configs/resolver.js";
import { DataSourceUserGroupsResolver } from "../user-groups/data-source-user-groups-resolver.js";
import { UserGroupListResolver } from "../user-groups/list-resolver.js";
import { MappingMutations } from "../user-groups/mapping-mutations.js";
import { UserGroupMutations } from "../user-groups/mutations.js";
import { UserGroupResolver } from "../user-groups/resolver.js";
import { UserGroupSubscription } from "../user-groups/subscription.js";
import { UpsertMutation } from "../user-groups/upsert-mutation.js";
import { WebhookMutations } from "../webhooks/mutations.js";
import { WebhookHealthResolver, WebhookResolver } from "../webhooks/resolver.js";
import { NodeResolver } from "./node-resolver.js";

const ROOT_DESCRIPTIONS: Readonly<Record<OperationTypeNode, string>> = {
  [OperationTypeNode.QUERY]: "What can be read.",
  [OperationTypeNode.MUTATION]: "What can be changed; several changes run in their order, each by itself.",
  [OperationTypeNode.SUBSCRIPTION]: "What can be watched.",
};

interface ResolverDefinition {
  readonly type: new (...services: never[]) => object;
  create(services: Services): object;
}

/** Every resolver class, and how it is created. */
const RESOLVERS: readonly [ResolverDefinition, ...ResolverDefinition[]] = [
  { type: ApiKeyResolver, create: (services) => new ApiKeyResolver(services.apiKeys) },
  { type: AuditResolver, create: (services) => new AuditResolver(services.auditLog) },
  { type: DataSourceListResolver, create: (services) => new DataSourceListResolver(services.listing) },
  { type: DataSourceMutations, create: (services) => new DataSourceMutations(services.dataSources) },
  { type: DataSourceResolver, create: () => new DataSourceResolver() },
  { type: DataSourceUserGroupsResolver, create: () => new DataSourceUserGroupsResolver() },
  {
    type: MappingMutations,
    create: (services) => new MappingMutations(services.mappings, services.userGroups),
  },
  { type: NodeResolver, create: () => new NodeResolver() },
  { type: SiteConfigContentResolver, create: () => new SiteConfigContentResolver() },
  { type: SiteConfigMutations, create: (services) => new SiteConfigMutations(services.siteConfigs) },
  { type: SiteConfigResolver, create: (services) => new SiteConfigResolver(services.siteConfigReader) },
  { type: SiteConfigRevisionContentResolver, create: () => new SiteConfigRevisionContentResolver() },
  { type: UpsertMutation, create: (services) => new UpsertMutation(services.userGroupUpserts) },
  { type: UserGroupListResolver, create: (services) => new UserGroupListResolver(services.listing) },
  { type: UserGroupMutations, create: (services) => new UserGroupMutations(services.userGroups) },
  { type: UserGroupResolver, create: (services) => new UserGroupResolver(services.userGroupReader) },
  { type: UserGroupSubscription, create: () => new UserGroupSubscription() },
  { type: ViewerResolver, create: () => new ViewerResolver() },
  { type: WebhookHealthResolver, create: () => new WebhookHealthResolver() },
  { type: WebhookMutations, create: (services) => new WebhookMutations(services.webhooks) },
  { type: WebhookResolver, create: (services) => new WebhookResolver(services.webhooks) },
];

/** Builds the schema, with resolvers upon the services. */
export function createSchema(services: Services): GraphQLSchema {
  return build(RESOLVERS.map(({ create }) => create(services)));
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
  const [first, ...others] = RESOLVERS;
  const schema = buildSchemaSync({
    resolvers: [first.type, ...others.map(({ type }) => type)],
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
