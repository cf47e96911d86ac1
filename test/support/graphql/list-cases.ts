import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from "graphql";

export const schema = buildSchema(readFileSync(new URL("../../../schema.graphql", import.meta.url), "utf8"));

const OLD = "2024-01-01T00:00:00.000Z";

/** Filter values for each condition of each filter, each matching some but not nearly all rows. */
export const CONDITIONS: Readonly<Record<string, readonly unknown[]>> = {
  "ApiKeyFilter.isActive": [true],
  "ApiKeyFilter.nameContains": ["an"],
  "ApiKeyFilter.scopes": [["READ", "ADMIN"]],
  "AuditFilter.actions": [["USER_GROUP_TOKEN_ROTATED"], ["USER_GROUP_UPDATED"]],
  "AuditFilter.actorName": ["other"],
  "AuditFilter.bulkChangeId": ["7c3a5d5e-0f0b-4f7e-9b59-000000000007"],
  "AuditFilter.createdAt": [{ to: OLD }, { from: OLD }, { from: "2023-03-01T00:00:00.000Z", to: OLD }],
  "AuditFilter.excludeActions": [["USER_GROUP_CREATED", "USER_GROUP_TOKEN_ROTATED"]],
  "AuditFilter.requestId": ["request 7"],
  "AuditFilter.subjectId": ["group"],
  "AuditFilter.subjectName": ["group 7", "many"],
  "DataSourceFilter.nameContains": ["7"],
  "DataSourceFilter.providedIds": [["source 7", "source 9", "source 5"]],
  "SiteConfigFilter.siteStartsWith": ["site 7"],
  "SiteConfigFilter.updatedAt": [{ to: "2024-01-10T00:00:00.000Z" }, { from: OLD }],
  "UserGroupFilter.createdAt": [{ to: OLD }, { from: OLD }],
  "UserGroupFilter.dataSource": [{ providedId: "source 7" }],
  "UserGroupFilter.hasMapping": [false],
  "UserGroupFilter.nameContains": ["77"],
  "UserGroupFilter.nameStartsWith": ["Name 7"],
  "UserGroupFilter.properties": [{ tier: 7 }],
  "UserGroupFilter.providedIds": [Array.from({ length: 100 }, (_, index) => `group ${index * 7}`)],
  "UserGroupFilter.providedIdStartsWith": ["group 77"],
  "UserGroupFilter.schemaId": ["schema 1"],
  "UserGroupFilter.search": ["77"],
  "UserGroupFilter.updatedAt": [{ to: OLD }, { from: OLD }],
  "WebhookDeliveryFilter.endpointId": ["endpoint"],
  "WebhookDeliveryFilter.lastAttemptFailed": [true],
  "WebhookDeliveryFilter.state": ["PENDING", "DELIVERED", "DEAD"],
  "WebhookEndpointFilter.isEnabled": [true],
  "WebhookEndpointFilter.urlContains": ["184"],
};

/**
 * Conditions that no index combines with every order of their list: the tenant's rows are read by an index and filtered, or
 * those found by an index for the condition are sorted. Both stay within the account.
 */
export const SCANNING = [
  "DataSourceFilter.nameContains",
  "DataSourceFilter.providedIds",
  "SiteConfigFilter.siteStartsWith",
  "SiteConfigFilter.updatedAt",
  "UserGroupFilter.createdAt",
  "UserGroupFilter.dataSource",
  "UserGroupFilter.hasMapping",
  "UserGroupFilter.nameContains",
  "UserGroupFilter.nameStartsWith",
  "UserGroupFilter.properties",
  "UserGroupFilter.providedIds",
  "UserGroupFilter.providedIdStartsWith",
  "UserGroupFilter.schemaId",
  "UserGroupFilter.search",
  "UserGroupFilter.updatedAt",
];

/**
 * Short lists, which are sorted: an account's API keys, and the webhook endpoints of an environment, at most 20. The policy of API keys
 * also admits the operator, and the comparison of environments is not leakproof, so an index cannot use it.
 */
export const SHORT = ["Query.apiKeys", "Query.webhookEndpoints"];

/** How to select lists that are fields of an object. */
export const PARENT_LISTS: Readonly<Record<string, string>> = {
  DataSource: "dataSources",
  SiteConfig: "siteConfigs",
  UserGroup: "userGroups",
};

/** A list of the schema with one of its filters and orders. */
export interface ListCase {
  readonly list: string;
  readonly condition: string | null;
  readonly filter: object | null;
  readonly order: object | null;
}

/** Every paginated list field of the schema. */
export function connectionFields(): {
  readonly type: string;
  readonly field: GraphQLField<unknown, unknown>;
}[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter((field) => getNamedType(field.type).name.endsWith("Connection"))
          .map((field) => ({ type: type.name, field }))
      : [],
  );
}

function argumentType(field: GraphQLField<unknown, unknown>, name: string) {
  const type: GraphQLInputType | undefined = field.args.find((argument) => argument.name === name)?.type;
  const named = type && getNamedType(type);
  return isInputObjectType(named) ? named : undefined;
}

function filtersOf(field: GraphQLField<unknown, unknown>) {
  const type = argumentType(field, "filter");
  const conditions = Object.keys(type?.getFields() ?? {}).flatMap((name) => {
    const condition = `${type?.name}.${name}`;
    const values = CONDITIONS[condition];
    if (!values) throw new Error(`Say in CONDITIONS what to filter by for ${condition}.`);
    return values.map((value) => ({ condition, filter: { [name]: value } }));
  });
  return [{ condition: null, filter: null }, ...conditions];
}

function ordersOf(field: GraphQLField<unknown, unknown>): (object | null)[] {
  const of = argumentType(field, "orderBy")?.getFields()["field"]?.type;
  const type = of && getNamedType(of);
  if (!isEnumType(type)) return [null];
  return type.getValues().flatMap(({ name }) => [
    { field: name, direction: "ASC" },
    { field: name, direction: "DESC" },
  ]);
}

export function listCases(): ListCase[] {
  return connectionFields().flatMap(({ type, field }) =>
    filtersOf(field).flatMap(({ condition, filter }) =>
      ordersOf(field).map((order) => ({ list: `${type}.${field.name}`, condition, filter, order })),
    ),
  );
}
