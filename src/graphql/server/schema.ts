import {
  GraphQLOneOfDirective,
  type GraphQLSchema,
  getDirectiveValues,
  isInputObjectType,
  lexicographicSortSchema,
  OperationTypeNode,
  printSchema,
} from "graphql";
import { buildSchemaSync } from "type-graphql";
import { ApiKeyResolver } from "../accounts/api-key-resolver.js";
import { ApiKeyAuditResolver, AuditResolver } from "../audit/resolver.js";
import { ViewerResolver } from "../authentication/viewer-resolver.js";
import { DataSourceMutations } from "../data-sources/mutations.js";
import { DataSourceResolver } from "../data-sources/resolver.js";
import { SessionTemplateMutations } from "../session-templates/mutations.js";
import { SessionTemplateResolver } from "../session-templates/resolver.js";
import {
  SiteConfigContentResolver,
  SiteConfigRevisionContentResolver,
} from "../site-configs/content-resolver.js";
import { SiteConfigListResolver } from "../site-configs/list-resolver.js";
import { SiteConfigMutations } from "../site-configs/mutations.js";
import { SiteConfigResolver, SiteConfigRevisionResolver } from "../site-configs/resolver.js";
import { UserGroupAuditResolver } from "../user-groups/audit-resolver.js";
import { BulkChangeResolver } from "../user-groups/bulk-change-resolver.js";
import { BulkMutations } from "../user-groups/bulk-mutations.js";
import { UserGroupHistoryResolver } from "../user-groups/history-resolver.js";
import { DataSourceUserGroupsResolver, UserGroupListResolver } from "../user-groups/list-resolver.js";
import { UserGroupMutations } from "../user-groups/mutations.js";
import { PropertySchemaResolver } from "../user-groups/property-schema-resolver.js";
import { UserGroupResolver } from "../user-groups/resolver.js";
import { UserGroupSubscription } from "../user-groups/subscription.js";
import { WebhookMutations } from "../webhooks/mutations.js";
import { WebhookHealthResolver, WebhookResolver } from "../webhooks/resolver.js";
import { AuditSubjectResolver, NodeResolver } from "./node-resolver.js";

const ROOT_DESCRIPTIONS: Readonly<Record<OperationTypeNode, string>> = {
  [OperationTypeNode.QUERY]: "The root of all queries.",
  [OperationTypeNode.MUTATION]:
    "The root of all mutations. The mutations of a request run one after another, each independently.",
  [OperationTypeNode.SUBSCRIPTION]: "The root of all subscriptions.",
};

const RESOLVERS = [
  ApiKeyResolver,
  ApiKeyAuditResolver,
  AuditResolver,
  AuditSubjectResolver,
  BulkChangeResolver,
  BulkMutations,
  DataSourceMutations,
  DataSourceResolver,
  DataSourceUserGroupsResolver,
  NodeResolver,
  PropertySchemaResolver,
  SessionTemplateMutations,
  SessionTemplateResolver,
  SiteConfigContentResolver,
  SiteConfigListResolver,
  SiteConfigMutations,
  SiteConfigResolver,
  SiteConfigRevisionContentResolver,
  SiteConfigRevisionResolver,
  UserGroupAuditResolver,
  UserGroupHistoryResolver,
  UserGroupListResolver,
  UserGroupMutations,
  UserGroupResolver,
  UserGroupSubscription,
  ViewerResolver,
  WebhookHealthResolver,
  WebhookMutations,
  WebhookResolver,
] as const;

/** Builds the executable schema. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: RESOLVERS,
    // TypeGraphQL requires a pubSub, although each subscription has its own event source.
    pubSub: { publish: rejectPubSub, subscribe: rejectPubSub },
    // Domain parsers validate the input, so that REST and GraphQL apply the same rules.
    validate: false,
    // graphql-js validates the schema with the first operation. Here it would also be introspected: most of the time that this takes.
    skipCheck: true,
  });
  describeRoots(schema);
  applyOneOf(schema);
  return schema;
}

/** Returns the schema as SDL with types and fields sorted by name, as committed in schema.graphql. */
export function printSdl(): string {
  return `${printSchema(lexicographicSortSchema(createSchema()))}\n`;
}

// TypeGraphQL generates the root types and has no option for their descriptions.
function describeRoots(schema: GraphQLSchema): void {
  for (const operation of Object.values(OperationTypeNode)) {
    const type = schema.getRootType(operation);
    if (type) type.description = ROOT_DESCRIPTIONS[operation];
  }
}

// TypeGraphQL 2.0 keeps `@Directive("@oneOf")` in the AST node only.
function applyOneOf(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type) || !type.astNode) continue;
    type.isOneOf = getDirectiveValues(GraphQLOneOfDirective, type.astNode) !== undefined;
  }
}

function rejectPubSub(): never {
  throw new Error("TypeGraphQL must not publish or subscribe.");
}
