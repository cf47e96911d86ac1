import { type GraphQLSchema, lexicographicSortSchema, OperationTypeNode, printSchema } from "graphql";
import { type BuildSchemaOptions, buildSchemaSync } from "type-graphql";
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
  [OperationTypeNode.QUERY]: "The root of all queries.",
  [OperationTypeNode.MUTATION]:
    "The root of all mutations. The mutations of a request run one after another, each independently.",
  [OperationTypeNode.SUBSCRIPTION]: "The root of all subscriptions.",
};

interface ResolverDefinition {
  readonly type: BuildSchemaOptions["resolvers"][number];
  create(services: Services): object;
}

/** All resolver classes with the services they depend on. */
const RESOLVERS: readonly [ResolverDefinition, ...ResolverDefinition[]] = [
  resolver(ApiKeyResolver, (services) => [services.apiKeys]),
  resolver(AuditResolver, (services) => [services.auditLog]),
  resolver(DataSourceListResolver, (services) => [services.listing]),
  resolver(DataSourceMutations, (services) => [services.dataSources]),
  resolver(DataSourceResolver, () => []),
  resolver(DataSourceUserGroupsResolver, () => []),
  resolver(MappingMutations, (services) => [services.mappings, services.userGroups]),
  resolver(NodeResolver, () => []),
  resolver(SiteConfigContentResolver, () => []),
  resolver(SiteConfigMutations, (services) => [services.siteConfigs]),
  resolver(SiteConfigResolver, (services) => [services.siteConfigReader]),
  resolver(SiteConfigRevisionContentResolver, () => []),
  resolver(UpsertMutation, (services) => [services.userGroupUpserts]),
  resolver(UserGroupListResolver, (services) => [services.listing]),
  resolver(UserGroupMutations, (services) => [services.userGroups]),
  resolver(UserGroupResolver, (services) => [services.userGroupReader]),
  resolver(UserGroupSubscription, () => []),
  resolver(ViewerResolver, () => []),
  resolver(WebhookHealthResolver, () => []),
  resolver(WebhookMutations, (services) => [services.webhooks]),
  resolver(WebhookResolver, (services) => [services.webhooks]),
];

/** Builds the executable schema. */
export function createSchema(services: Services): GraphQLSchema {
  return build(RESOLVERS.map(({ create }) => create(services)));
}

/** Builds the schema without resolver instances, for printing it or validating documents. */
export function createBareSchema(): GraphQLSchema {
  return build([]);
}

/** Returns the schema as SDL with types and fields sorted by name, as committed in schema.graphql. */
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
    // TypeGraphQL requires a pubSub, although each subscription has its own event source.
    pubSub: { publish: rejectPubSub, subscribe: rejectPubSub },
    // Domain parsers validate the input, so that REST and GraphQL apply the same rules.
    validate: false,
  });
  describeRoots(schema);
  return schema;
}

function resolver<Arguments extends unknown[] | []>(
  type: new (...services: Arguments) => object,
  pick: (services: Services) => [...Arguments],
): ResolverDefinition {
  return { type, create: (services) => new type(...pick(services)) };
}

// TypeGraphQL generates the root types and has no option for their descriptions.
function describeRoots(schema: GraphQLSchema): void {
  for (const operation of Object.values(OperationTypeNode)) {
    const type = schema.getRootType(operation);
    if (type) type.description = ROOT_DESCRIPTIONS[operation];
  }
}

function rejectPubSub(): never {
  throw new Error("TypeGraphQL must not publish or subscribe.");
}
