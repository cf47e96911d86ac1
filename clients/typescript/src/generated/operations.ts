// Made from clients/typescript/operations and schema.graphql by `npm run client:write`.
import { DocumentText } from "../document.js";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Filters API keys, which must meet all conditions. */
export type ApiKeyFilter = {
  /** If true, API keys that are neither revoked nor expired; if false, those that are. */
  readonly isActive?: boolean | null | undefined;
  /** API keys whose name contains this text, ignoring case. */
  readonly nameContains?: string | null | undefined;
  /** API keys with one of these scopes. */
  readonly scopes?: ReadonlyArray<ApiKeyScope> | null | undefined;
};

/** Ordering options for API keys. */
export type ApiKeyOrder = {
  /** The direction of the order. */
  readonly direction?: OrderDirection;
  /** The field to order by. */
  readonly field: ApiKeyOrderField;
};

/** Fields by which API keys can be ordered. */
export type ApiKeyOrderField =
  /** Order by time of creation. */
  | 'CREATED_AT'
  /** Order by time of the last use. Keys that were never used count as the oldest. */
  | 'LAST_USED_AT'
  /** Order by name, compared by code point. */
  | 'NAME';

/** The scope of an API key, from `READ` to `EMBED`, `WRITE` and `ADMIN`. Each scope includes the previous ones. */
export type ApiKeyScope =
  /** Manage API keys and webhooks, and read the audit log. */
  | 'ADMIN'
  /** Read user group tokens, as required by servers that embed dashboards. */
  | 'EMBED'
  /** Read user groups without their tokens, data sources and site configurations. */
  | 'READ'
  /** Create, update and delete user groups, mappings, data sources and site configurations. */
  | 'WRITE';

/** Input for `createApiKey`. */
export type CreateApiKeyInput = {
  /** The time when the key expires. If omitted or null, it does not expire. */
  readonly expiresAt?: string | null | undefined;
  /** A name that describes the purpose of the key. */
  readonly name: string;
  /** The scope of the key. */
  readonly scope: ApiKeyScope;
};

/** Input for `createDataSource`. */
export type CreateDataSourceInput = {
  /** The data source's name. */
  readonly name: string;
  /** The data source's external ID, unique within its environment. */
  readonly providedId: string;
};

/** Input for `createEmbedSession`. */
export type CreateEmbedSessionInput = {
  /** The user group that the session can read. */
  readonly by: UserGroupBy;
  /** The lifetime in seconds, from 60 to 86400. Default: 900. The session expires with its API key at the latest. */
  readonly expiresInSeconds?: number | null | undefined;
  /** Variables for this session, as a JSON object of at most 4096 bytes. The holder of the token can read them. A dashboard uses them in preference to properties of the same name. */
  readonly variables?: object | null | undefined;
};

/** Input for `createSessionTemplate`. */
export type CreateSessionTemplateInput = {
  /** How tokens are signed. */
  readonly algorithm: SessionAlgorithm;
  /** A JSON object of at most 8 KiB. Texts may have references such as `{{ userGroup.properties.region }}`. */
  readonly claims: object;
  /** What the template is for. Must not be null. */
  readonly description?: string | null | undefined;
  /** Constant `kid` and `iss` of the token's header, with HS256 only. Must not be null. */
  readonly header?: object | null | undefined;
  /** The lifetime of a token in seconds, from 60 to 86,400; 600 for a new template if omitted. Must not be null. */
  readonly lifetimeSeconds?: number | null | undefined;
  /** A name, unique within the environment: `a` to `z`, `0` to `9` and `-`. */
  readonly name: string;
  /** The secret of the dashboard tool, at least 16 bytes, which cannot be read later. Required with HS256 for a new template, if the algorithm becomes HS256, and if the URL gets another origin. Must not be null. */
  readonly secret?: string | null | undefined;
  /** How the secret is written; as text if omitted. Must not be null. */
  readonly secretEncoding?: SecretEncoding | null | undefined;
  /** The https address of the tool's frame, with `{{ token }}` once. Must not be null. */
  readonly url?: string | null | undefined;
};

/** Input for `createTemplateSession`. */
export type CreateTemplateSessionInput = {
  /** The user group whose token is created. */
  readonly by: UserGroupBy;
  /** A lifetime in seconds that is shorter than the template's. Must not be null. */
  readonly expiresInSeconds?: number | null | undefined;
  /** The name of the session template. */
  readonly template: string;
  /** Values of the template's `variables`; none if null or omitted. */
  readonly variables?: object | null | undefined;
};

/** Input for `createWebhookEndpoint`. */
export type CreateWebhookEndpointInput = {
  /** If false, nothing is sent until the endpoint is enabled. If omitted, events are sent. Must not be null. */
  readonly enabled?: boolean | null | undefined;
  /** The types of events to send. If omitted or empty, all events are sent. Must not be null. */
  readonly events?: ReadonlyArray<WebhookEvent> | null | undefined;
  /** The purpose of the endpoint: a name, unique within the environment. */
  readonly name: string;
  /** The URL to send events to: an https URL on the public Internet, without a user name. */
  readonly url: string;
};

/** Identifies a data source by exactly one of these fields. */
export type DataSourceBy =
  {   /** The data source's internal ID. */
  readonly dataSourceId: number; readonly id?: never; readonly providedId?: never; }
  |  { readonly dataSourceId?: never;   /** The data source's global ID. */
  readonly id: string | number; readonly providedId?: never; }
  |  { readonly dataSourceId?: never; readonly id?: never;   /** The data source's external ID. */
  readonly providedId: string; };

/** Filters data sources, which must meet all conditions. */
export type DataSourceFilter = {
  /** Items whose name contains this text, ignoring case. */
  readonly nameContains?: string | null | undefined;
  /** Items with one of these external IDs, at most 1000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
};

/** Ordering options for data sources. */
export type DataSourceOrder = {
  /** The direction of the order. */
  readonly direction?: OrderDirection;
  /** The field to order by. */
  readonly field: DataSourceOrderField;
};

/** Fields by which data sources can be ordered. */
export type DataSourceOrderField =
  /** Order by time of creation. */
  | 'CREATED_AT'
  /** Order by internal ID, which is the order of creation. */
  | 'DATA_SOURCE_ID'
  /** Order by name, compared by code point. */
  | 'NAME'
  /** Order by external ID, compared by code point. */
  | 'PROVIDED_ID';

/** A time range. An omitted bound is open. */
export type DateTimeRange = {
  /** The start of the range, inclusive. */
  readonly from?: string | null | undefined;
  /** The end of the range, exclusive. */
  readonly to?: string | null | undefined;
};

/** Input for `deleteDataSource`. */
export type DeleteDataSourceInput = {
  /** The data source to delete. No mapping may use it. */
  readonly by: DataSourceBy;
  /** The version that the data source must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
};

/** Input for `deleteSessionTemplate`. */
export type DeleteSessionTemplateInput = {
  /** The session template to delete. */
  readonly by: SessionTemplateBy;
  /** The version that the session template must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
};

/** Input for `deleteSiteConfig`. */
export type DeleteSiteConfigInput = {
  /** The number of the current revision as you last read it. The deletion fails if the current revision is another one. Must not be null. */
  readonly expectedRevision?: number | null | undefined;
  /** The site's name. */
  readonly site?: string;
};

/** Input for `deleteUserGroup`. */
export type DeleteUserGroupInput = {
  /** The user group to delete. */
  readonly by: UserGroupBy;
  /** A data source's external ID. If set, the user group must be mapped to that data source. Must not be null. */
  readonly dataSourceProvidedId?: string | null | undefined;
  /** The user group's external ID. If set, the user group must have it. Must not be null. */
  readonly providedId?: string | null | undefined;
};

/** Input for `deleteUserGroups`. */
export type DeleteUserGroupsInput = {
  /** If true, no user group of the call is changed if any of them does not exist or is invalid. If false, only those are skipped. */
  readonly allOrNothing?: boolean;
  /** The user groups, at most 1000, whose stored properties have at most 4 MiB together. */
  readonly userGroups: ReadonlyArray<UserGroupBy>;
};

/** Input for `deleteWebhookEndpoint`. */
export type DeleteWebhookEndpointInput = {
  /** The version that the webhook endpoint must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** The webhook endpoint's global ID. */
  readonly id: string | number;
};

/** An environment of an account. An API key gives access to one environment, and environments share no data. */
export type Environment =
  /** User groups of real customers; `Customer` in the REST API. */
  | 'CUSTOMER'
  /** User groups for testing; `Testing` in the REST API. */
  | 'TESTING';

/** Input for `getOrCreateUserGroup`. Fields other than `providedId` apply only if the user group is created. */
export type GetOrCreateUserGroupInput = {
  /** The mapping of schemas to data sources. */
  readonly mapping?: ReadonlyArray<MappingInput> | null | undefined;
  /** The user group's name. Required if the user group does not exist yet. */
  readonly name?: string | null | undefined;
  /** Free-form properties, as a JSON object. */
  readonly properties?: object | null | undefined;
  /** The user group's external ID, unique within its environment. */
  readonly providedId: string;
};

/** Maps a schema to a data source. */
export type MappingInput = {
  /** The data source's external ID or, if none matches, its internal ID. */
  readonly dataSource: string;
  /** The schema ID. */
  readonly schemaId: string;
};

/** The direction in which a list is ordered. */
export type OrderDirection =
  /** Ascending: smallest or oldest first. */
  | 'ASC'
  /** Descending: largest or newest first. */
  | 'DESC';

/** What happens to properties that violate the schema. */
export type PropertySchemaMode =
  /** They are refused with `INVALID_FIELD`, except by GET of the REST API and `getOrCreateUserGroup`. Only members that a write changes are checked. */
  | 'ENFORCE'
  /** They are written. */
  | 'OFF'
  /** They are written and counted in a metric. */
  | 'WARN';

/** Input for `putSiteConfig`. */
export type PutSiteConfigInput = {
  /** The number of the current revision as you last read it; 0 if the site must not exist yet. The change fails if the current revision is another one. Must not be null. */
  readonly expectedRevision?: number | null | undefined;
  /** If true, anyone can read the configuration over HTTP. If omitted, existing sites keep their visibility and new sites are private. */
  readonly isPublic?: boolean | null | undefined;
  /** The site's name. The name of a new site has 1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`, the first a letter or digit. */
  readonly site?: string;
  /** The configuration to store. */
  readonly source: SiteConfigSource;
  /** If true, warnings count as errors; notices do not. */
  readonly strict?: boolean | null | undefined;
};

/** Input for `removeUserGroupMapping`. */
export type RemoveUserGroupMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The schema ID. If the schema is not mapped, nothing changes. */
  readonly schemaId: string;
};

/** Input for `replaceUserGroupMapping`. */
export type ReplaceUserGroupMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The new entries. Existing entries that are not among them are removed. */
  readonly mapping: ReadonlyArray<MappingInput>;
};

/** Input for `replayWebhookDelivery`. */
export type ReplayWebhookDeliveryInput = {
  /** The webhook delivery's global ID. */
  readonly id: string | number;
};

/** Input for `revokeApiKey`. */
export type RevokeApiKeyInput = {
  /** The API key's global ID. */
  readonly id: string | number;
};

/** Input for `rotateUserGroupToken`. */
export type RotateUserGroupTokenInput = {
  /** The user group. By its current token, only one of several concurrent rotations succeeds; the others fail with `USER_GROUP_NOT_FOUND`. */
  readonly by: UserGroupBy;
  /** How long the old token can still be used to read, in seconds; at most `Viewer.tokenGraceSeconds`, which is the default. Only the last former token has a grace period: a rotation ends that of the token before, and 0 leaves no former token. */
  readonly graceSeconds?: number | null | undefined;
};

/** Input for `rotateUserGroupTokens`. */
export type RotateUserGroupTokensInput = {
  /** If true, no user group of the call is changed if any of them does not exist or is invalid. If false, only those are skipped. */
  readonly allOrNothing?: boolean;
  /** How long the old token can still be used to read, in seconds; at most `Viewer.tokenGraceSeconds`, which is the default. Only the last former token has a grace period: a rotation ends that of the token before, and 0 leaves no former token. */
  readonly graceSeconds?: number | null | undefined;
  /** The user groups, at most 1000, whose stored properties have at most 4 MiB together. */
  readonly userGroups: ReadonlyArray<UserGroupBy>;
};

/** Input for `rotateWebhookSecret`. */
export type RotateWebhookSecretInput = {
  /** The webhook endpoint's global ID. */
  readonly id: string | number;
};

/** How a secret is written. */
export type SecretEncoding =
  /** As base64 of the key. */
  | 'BASE64'
  /** As text, whose UTF-8 bytes are the key. */
  | 'TEXT';

/** Input for `sendTestWebhook`. */
export type SendTestWebhookInput = {
  /** The webhook endpoint's global ID. */
  readonly id: string | number;
};

/** How the tokens of a session template are signed. */
export type SessionAlgorithm =
  /** With a key of the account and environment, which the tool loads from `keySetUrl`. */
  | 'ES256'
  /** With the secret of the dashboard tool. */
  | 'HS256';

/** Identifies a session template by exactly one of these fields. */
export type SessionTemplateBy =
  {   /** The session template's global ID. */
  readonly id: string | number; readonly name?: never; }
  |  { readonly id?: never;   /** The session template's name. */
  readonly name: string; };

/** Input for `setPropertySchema`. */
export type SetPropertySchemaInput = {
  /** Whether nothing is written. */
  readonly dryRun?: boolean;
  /** The version that the schema must have; 0 if there was none. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** What happens to properties that violate the schema. */
  readonly mode: PropertySchemaMode;
  /** A JSON Schema of at most 16384 bytes with the keywords of the documentation. Null removes the schema, which requires the mode `OFF`; if omitted, it stays. */
  readonly schema?: object | null | undefined;
};

/** Input for `setUserGroupMapping`. */
export type SetUserGroupMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The data source's external ID or, if none matches, its internal ID. */
  readonly dataSource: string;
  /** The schema ID. */
  readonly schemaId: string;
};

/** A site configuration as exactly one of these fields. */
export type SiteConfigSource =
  {   /** The configuration as JSON. Integer-like keys come first, as in JavaScript; send `text` to preserve the exact text. */
  readonly document: object; readonly text?: never; }
  |  { readonly document?: never;   /** The configuration as the text of its file. Findings then include line and column. */
  readonly text: string; };

/** Input for `updateDataSource`. Omitted fields keep their values. */
export type UpdateDataSourceInput = {
  /** The data source to update. */
  readonly by: DataSourceBy;
  /** The version that the data source must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** The new name. Must not be null. */
  readonly name?: string | null | undefined;
  /** The new external ID. Must not be null. */
  readonly providedId?: string | null | undefined;
};

/** Input for `updateSessionTemplate`. Omitted fields keep their values. */
export type UpdateSessionTemplateInput = {
  /** The new algorithm. Must not be null. */
  readonly algorithm?: SessionAlgorithm | null | undefined;
  /** The session template to update. */
  readonly by: SessionTemplateBy;
  /** A JSON object of at most 8 KiB. Texts may have references such as `{{ userGroup.properties.region }}`. Must not be null. */
  readonly claims?: object | null | undefined;
  /** What the template is for. Must not be null. */
  readonly description?: string | null | undefined;
  /** The version that the session template must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** Constant `kid` and `iss` of the token's header, with HS256 only. Must not be null. */
  readonly header?: object | null | undefined;
  /** The lifetime of a token in seconds, from 60 to 86,400; 600 for a new template if omitted. Must not be null. */
  readonly lifetimeSeconds?: number | null | undefined;
  /** The new name. Must not be null. */
  readonly name?: string | null | undefined;
  /** The secret of the dashboard tool, at least 16 bytes, which cannot be read later. Required with HS256 for a new template, if the algorithm becomes HS256, and if the URL gets another origin. Must not be null. */
  readonly secret?: string | null | undefined;
  /** How the secret is written; as text if omitted. Must not be null. */
  readonly secretEncoding?: SecretEncoding | null | undefined;
  /** The https address of the tool's frame, with `{{ token }}` once. Null removes it. */
  readonly url?: string | null | undefined;
};

/** Input for `updateUserGroup`. Omitted fields keep their values. */
export type UpdateUserGroupInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The version that you last read. The update fails if the user group has another version. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** Entries that replace the mapping; null removes all entries. */
  readonly mapping?: ReadonlyArray<MappingInput> | null | undefined;
  /** The new name. Must not be null. */
  readonly name?: string | null | undefined;
  /** A JSON object that replaces the properties; null removes them. */
  readonly properties?: object | null | undefined;
  /** A JSON Merge Patch (RFC 7396) of the properties, instead of `properties`: other properties keep their values, and null removes one. Null instead of an object removes all. */
  readonly propertiesPatch?: object | null | undefined;
};

/** Input for `updateWebhookEndpoint`. Omitted fields keep their values. */
export type UpdateWebhookEndpointInput = {
  /** If false, nothing is sent, and events that occur in the meantime are not sent later. True also ends a pause. Must not be null. */
  readonly enabled?: boolean | null | undefined;
  /** The types of events to send; all if the list is empty. Must not be null. */
  readonly events?: ReadonlyArray<WebhookEvent> | null | undefined;
  /** The version that the webhook endpoint must have, as you last read it. Must not be null. */
  readonly expectedVersion?: number | null | undefined;
  /** The webhook endpoint's global ID. */
  readonly id: string | number;
  /** The new name. Must not be null. */
  readonly name?: string | null | undefined;
  /** The new URL. Must not be null. */
  readonly url?: string | null | undefined;
};

/** A user group to create or update. Omitted fields keep their values. */
export type UpsertUserGroupInput = {
  /** Entries that replace the mapping; null removes all entries. */
  readonly mapping?: ReadonlyArray<MappingInput> | null | undefined;
  /** The user group's name. Required if the user group does not exist yet. */
  readonly name?: string | null | undefined;
  /** A JSON object that replaces the properties; null removes them. */
  readonly properties?: object | null | undefined;
  /** The user group's external ID, unique within its environment and within the request. */
  readonly providedId: string;
};

/** Input for `upsertUserGroups`. */
export type UpsertUserGroupsInput = {
  /** If true, no user group is written if any of them is invalid. If false, only the invalid ones are skipped. */
  readonly allOrNothing?: boolean;
  /** The user groups, at most 1000, whose stored properties have at most 4 MiB together. */
  readonly userGroups: ReadonlyArray<UpsertUserGroupInput>;
};

/** The code of an error in `userErrors`: one of the REST API's codes, in upper case. */
export type UserErrorCode =
  /** No API key has this ID. */
  | 'API_KEY_NOT_FOUND'
  /** The item is valid, but another item of the same request is not, so none was written. */
  | 'BATCH_REJECTED'
  /** The ID is that of a bulk change of another author, filter or patch. */
  | 'BULK_CHANGE_MISMATCH'
  /** No bulk change of the environment has this ID. */
  | 'BULK_CHANGE_NOT_FOUND'
  /** Another data source has this external ID. */
  | 'DATA_SOURCE_EXISTS'
  /** A mapping still uses the data source. */
  | 'DATA_SOURCE_IN_USE'
  /** No data source has this ID. */
  | 'DATA_SOURCE_NOT_FOUND'
  /** The history of the user group does not have the values before the bulk change. */
  | 'HISTORY_INCOMPLETE'
  /** A field is missing, of the wrong type, too long or too deep. */
  | 'INVALID_FIELD'
  /** The site configuration has errors. */
  | 'INVALID_SITE_CONFIG'
  /** The environment has a session template with this name. */
  | 'SESSION_TEMPLATE_EXISTS'
  /** No session template of the environment has this name or ID. */
  | 'SESSION_TEMPLATE_NOT_FOUND'
  /** The site has no configuration, or not this revision. */
  | 'SITE_CONFIG_NOT_FOUND'
  /** A mapping contains a data source that does not exist in the environment. */
  | 'UNKNOWN_DATA_SOURCE'
  /** Another user group has this external ID. */
  | 'USER_GROUP_EXISTS'
  /** The request does not match the identified user group. */
  | 'USER_GROUP_MISMATCH'
  /** No user group has this ID or token, or its history has not this version. */
  | 'USER_GROUP_NOT_FOUND'
  /** The object was changed since you read it. */
  | 'VERSION_CONFLICT'
  /** No webhook delivery has this ID. */
  | 'WEBHOOK_DELIVERY_NOT_FOUND'
  /** No webhook endpoint has this ID. */
  | 'WEBHOOK_ENDPOINT_NOT_FOUND';

/** Identifies a user group by exactly one of these fields. */
export type UserGroupBy =
  {   /** The user group's global ID. */
  readonly id: string | number; readonly providedId?: never; readonly teamId?: never; readonly token?: never; }
  |  { readonly id?: never;   /** The user group's external ID. */
  readonly providedId: string; readonly teamId?: never; readonly token?: never; }
  |  { readonly id?: never; readonly providedId?: never;   /** The user group's internal ID. */
  readonly teamId: number; readonly token?: never; }
  |  { readonly id?: never; readonly providedId?: never; readonly teamId?: never;   /** The user group's token. */
  readonly token: string; };

/** The type of a change to a user group. */
export type UserGroupChangeKind =
  /** The user group was created. */
  | 'CREATED'
  /** The state when a subscription to this user group starts. */
  | 'CURRENT'
  /** The user group was deleted. A subscription to this user group ends. */
  | 'DELETED'
  /** The token was rotated. */
  | 'TOKEN_ROTATED'
  /** The name, properties or mapping was updated, or a data source of the mapping. */
  | 'UPDATED';

/** Filters user groups, which must meet all conditions. */
export type UserGroupFilter = {
  /** User groups created in this time range. */
  readonly createdAt?: DateTimeRange | null | undefined;
  /** User groups mapped to this data source or, combined with `schemaId`, those that map this schema to it. */
  readonly dataSource?: DataSourceBy | null | undefined;
  /** User groups whose mapping has entries, or with `false` has none. */
  readonly hasMapping?: boolean | null | undefined;
  /** Items whose name contains this text, ignoring case. */
  readonly nameContains?: string | null | undefined;
  /** User groups whose name starts with this text, ignoring case. */
  readonly nameStartsWith?: string | null | undefined;
  /** User groups whose properties contain this JSON object, with the same values at the same paths. A string is the JSON text of the object, in which numbers may have any size: `"{\"tenant\": 809191427645181212}"`. */
  readonly properties?: object | null | undefined;
  /** User groups whose external ID starts with this text, case-sensitive. */
  readonly providedIdStartsWith?: string | null | undefined;
  /** Items with one of these external IDs, at most 1000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
  /** User groups whose mapping contains this schema. */
  readonly schemaId?: string | null | undefined;
  /** User groups whose name or external ID contains each word of this text, in any order, ignoring case and accents. */
  readonly search?: string | null | undefined;
  /** User groups last changed in this time range. */
  readonly updatedAt?: DateTimeRange | null | undefined;
};

/** Ordering options for user groups. */
export type UserGroupOrder = {
  /** The direction of the order. */
  readonly direction?: OrderDirection;
  /** The field to order by. */
  readonly field: UserGroupOrderField;
};

/** Fields by which user groups can be ordered. */
export type UserGroupOrderField =
  /** Order by time of creation. */
  | 'CREATED_AT'
  /** Order by name, compared by code point. */
  | 'NAME'
  /** Order by external ID, compared by code point. */
  | 'PROVIDED_ID'
  /** Order by internal ID, which is approximately the order of creation. */
  | 'TEAM_ID'
  /** Order by time of the last change. A user group that changes while you paginate moves in the list. */
  | 'UPDATED_AT';

/** Filters webhook deliveries, which must meet all conditions. */
export type WebhookDeliveryFilter = {
  /** Deliveries to the endpoint with this global ID. */
  readonly endpointId?: string | number | null | undefined;
  /** If true, deliveries whose last attempt failed: those that wait for a retry, and dead ones. If false, the others. */
  readonly lastAttemptFailed?: boolean | null | undefined;
  /** Deliveries in this state. */
  readonly state?: WebhookDeliveryState | null | undefined;
};

/** The state of a webhook delivery. */
export type WebhookDeliveryState =
  /** The endpoint did not accept the delivery in time. It is sent again only if it is replayed. */
  | 'DEAD'
  /** The endpoint accepted the delivery. */
  | 'DELIVERED'
  /** The delivery waits for its first or next attempt. */
  | 'PENDING';

/** The reason why a webhook endpoint is disabled. */
export type WebhookDisabledReason =
  /** An admin disabled the endpoint. */
  | 'ADMIN'
  /** Every attempt failed for several days. */
  | 'FAILING'
  /** The endpoint responded with 410. */
  | 'GONE';

/** Filters webhook endpoints, which must meet all conditions. */
export type WebhookEndpointFilter = {
  /** If true, enabled endpoints; if false, disabled ones. */
  readonly isEnabled?: boolean | null | undefined;
  /** Endpoints whose URL contains this text, ignoring case. */
  readonly urlContains?: string | null | undefined;
};

/** The type of a webhook event. */
export type WebhookEvent =
  /** A new revision of a site configuration was stored. */
  | 'SITE_CONFIG_PUBLISHED'
  /** A user group was created. */
  | 'USER_GROUP_CREATED'
  /** A user group was deleted. */
  | 'USER_GROUP_DELETED'
  /** The token of a user group was rotated. */
  | 'USER_GROUP_TOKEN_ROTATED'
  /** A user group was updated. */
  | 'USER_GROUP_UPDATED'
  /** A webhook endpoint was disabled because it responded with 410 or every delivery failed for several days. */
  | 'WEBHOOK_ENDPOINT_DISABLED'
  /** A test event that an admin has sent with `sendTestWebhook`, whatever events the endpoint receives. */
  | 'WEBHOOK_ENDPOINT_TEST';

export type ApiKeyFieldsFragment = { readonly id: string, readonly name: string, readonly scope: ApiKeyScope, readonly environment: Environment, readonly hint: string, readonly createdAt: string, readonly expiresAt: string | null, readonly lastUsedAt: string | null, readonly revokedAt: string | null };

export type ApiKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: ApiKeyFilter | null | undefined;
  orderBy?: ApiKeyOrder | null | undefined;
}>;


export type ApiKeysQuery = { readonly apiKeys: { readonly nodes: ReadonlyArray<ApiKeyFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { readonly createApiKey: { readonly secret: string | null, readonly apiKey: ApiKeyFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type RevokeApiKeyMutationVariables = Exact<{
  input: RevokeApiKeyInput;
}>;


export type RevokeApiKeyMutation = { readonly revokeApiKey: { readonly apiKey: ApiKeyFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DataSourceFieldsFragment = { readonly id: string, readonly dataSourceId: number, readonly providedId: string, readonly name: string, readonly version: number, readonly createdAt: string };

export type DataSourceQueryVariables = Exact<{
  by: DataSourceBy;
}>;


export type DataSourceQuery = { readonly dataSource: DataSourceFieldsFragment | null };

export type DataSourcesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: DataSourceFilter | null | undefined;
  orderBy?: DataSourceOrder | null | undefined;
}>;


export type DataSourcesQuery = { readonly dataSources: { readonly nodes: ReadonlyArray<DataSourceFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type CreateDataSourceMutationVariables = Exact<{
  input: CreateDataSourceInput;
}>;


export type CreateDataSourceMutation = { readonly createDataSource: { readonly dataSource: DataSourceFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UpdateDataSourceMutationVariables = Exact<{
  input: UpdateDataSourceInput;
}>;


export type UpdateDataSourceMutation = { readonly updateDataSource: { readonly dataSource: DataSourceFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteDataSourceMutationVariables = Exact<{
  input: DeleteDataSourceInput;
}>;


export type DeleteDataSourceMutation = { readonly deleteDataSource: { readonly deletedDataSourceId: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type PropertySchemaFieldsFragment = { readonly schema: { readonly [key: string]: unknown } | null, readonly mode: PropertySchemaMode, readonly version: number, readonly updatedAt: string | null };

export type PropertySchemaQueryVariables = Exact<{ [key: string]: never; }>;


export type PropertySchemaQuery = { readonly propertySchema: PropertySchemaFieldsFragment };

export type SetPropertySchemaMutationVariables = Exact<{
  input: SetPropertySchemaInput;
}>;


export type SetPropertySchemaMutation = { readonly setPropertySchema: { readonly propertySchema: PropertySchemaFieldsFragment | null, readonly report: { readonly checked: number, readonly invalid: number } | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SessionTemplateFieldsFragment = { readonly id: string, readonly name: string, readonly description: string, readonly algorithm: SessionAlgorithm, readonly header: { readonly [key: string]: unknown }, readonly claims: { readonly [key: string]: unknown }, readonly lifetimeSeconds: number, readonly url: string | null, readonly hasSecret: boolean, readonly issuer: string | null, readonly keySetUrl: string | null, readonly version: number, readonly createdAt: string, readonly updatedAt: string };

export type SessionTemplatesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type SessionTemplatesQuery = { readonly sessionTemplates: { readonly nodes: ReadonlyArray<SessionTemplateFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type CreateSessionTemplateMutationVariables = Exact<{
  input: CreateSessionTemplateInput;
}>;


export type CreateSessionTemplateMutation = { readonly createSessionTemplate: { readonly warnings: ReadonlyArray<string>, readonly sessionTemplate: SessionTemplateFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UpdateSessionTemplateMutationVariables = Exact<{
  input: UpdateSessionTemplateInput;
}>;


export type UpdateSessionTemplateMutation = { readonly updateSessionTemplate: { readonly warnings: ReadonlyArray<string>, readonly sessionTemplate: SessionTemplateFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteSessionTemplateMutationVariables = Exact<{
  input: DeleteSessionTemplateInput;
}>;


export type DeleteSessionTemplateMutation = { readonly deleteSessionTemplate: { readonly deletedSessionTemplateId: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SiteConfigFieldsFragment = { readonly site: string, readonly revision: number, readonly text: string, readonly document: { readonly [key: string]: unknown }, readonly isPublic: boolean, readonly publicPath: string | null, readonly createdAt: string, readonly updatedAt: string };

export type SiteConfigReportFieldsFragment = { readonly isValid: boolean, readonly errors: ReadonlyArray<SiteConfigFindingFieldsFragment>, readonly warnings: ReadonlyArray<SiteConfigFindingFieldsFragment>, readonly notices: ReadonlyArray<SiteConfigFindingFieldsFragment> };

export type SiteConfigFindingFieldsFragment = { readonly code: string, readonly message: string, readonly pointer: string, readonly line: number | null, readonly column: number | null, readonly count: number };

export type SiteConfigQueryVariables = Exact<{
  site: string;
}>;


export type SiteConfigQuery = { readonly siteConfig: SiteConfigFieldsFragment | null };

export type SiteConfigsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type SiteConfigsQuery = { readonly siteConfigs: { readonly nodes: ReadonlyArray<{ readonly site: string, readonly revision: number, readonly isPublic: boolean, readonly publicPath: string | null, readonly createdAt: string, readonly updatedAt: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type PutSiteConfigMutationVariables = Exact<{
  input: PutSiteConfigInput;
}>;


export type PutSiteConfigMutation = { readonly putSiteConfig: { readonly siteConfig: SiteConfigFieldsFragment | null, readonly report: SiteConfigReportFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteSiteConfigMutationVariables = Exact<{
  input: DeleteSiteConfigInput;
}>;


export type DeleteSiteConfigMutation = { readonly deleteSiteConfig: { readonly deletedSiteConfigId: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UserGroupFieldsFragment = { readonly id: string, readonly teamId: number, readonly providedId: string, readonly name: string, readonly token: string | null, readonly properties: { readonly [key: string]: unknown } | null, readonly environment: Environment, readonly version: number, readonly createdAt: string, readonly updatedAt: string, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly dataSourceId: number, readonly providedId: string, readonly name: string } }> };

export type UserErrorFieldsFragment = { readonly code: UserErrorCode, readonly message: string, readonly field: ReadonlyArray<string> | null };

export type UserGroupQueryVariables = Exact<{
  by: UserGroupBy;
}>;


export type UserGroupQuery = { readonly userGroup: UserGroupFieldsFragment | null };

export type UserGroupsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: UserGroupFilter | null | undefined;
  orderBy?: UserGroupOrder | null | undefined;
}>;


export type UserGroupsQuery = { readonly userGroups: { readonly nodes: ReadonlyArray<UserGroupFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type UpsertUserGroupsMutationVariables = Exact<{
  input: UpsertUserGroupsInput;
}>;


export type UpsertUserGroupsMutation = { readonly upsertUserGroups: { readonly results: ReadonlyArray<{ readonly isNew: boolean | null, readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> }>, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type GetOrCreateUserGroupMutationVariables = Exact<{
  input: GetOrCreateUserGroupInput;
}>;


export type GetOrCreateUserGroupMutation = { readonly getOrCreateUserGroup: { readonly isNew: boolean | null, readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type RotateUserGroupTokenMutationVariables = Exact<{
  input: RotateUserGroupTokenInput;
}>;


export type RotateUserGroupTokenMutation = { readonly rotateUserGroupToken: { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type CreateTemplateSessionMutationVariables = Exact<{
  input: CreateTemplateSessionInput;
}>;


export type CreateTemplateSessionMutation = { readonly createTemplateSession: { readonly template: string | null, readonly token: string | null, readonly expiresAt: string | null, readonly url: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type CreateEmbedSessionMutationVariables = Exact<{
  input: CreateEmbedSessionInput;
}>;


export type CreateEmbedSessionMutation = { readonly createEmbedSession: { readonly token: string | null, readonly expiresAt: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UpdateUserGroupMutationVariables = Exact<{
  input: UpdateUserGroupInput;
}>;


export type UpdateUserGroupMutation = { readonly updateUserGroup: { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type RotateUserGroupTokensMutationVariables = Exact<{
  input: RotateUserGroupTokensInput;
}>;


export type RotateUserGroupTokensMutation = { readonly rotateUserGroupTokens: { readonly results: ReadonlyArray<{ readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> }>, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteUserGroupsMutationVariables = Exact<{
  input: DeleteUserGroupsInput;
}>;


export type DeleteUserGroupsMutation = { readonly deleteUserGroups: { readonly results: ReadonlyArray<{ readonly deletedUserGroupId: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> }>, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteUserGroupMutationVariables = Exact<{
  input: DeleteUserGroupInput;
}>;


export type DeleteUserGroupMutation = { readonly deleteUserGroup: { readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SetUserGroupMappingMutationVariables = Exact<{
  input: SetUserGroupMappingInput;
}>;


export type SetUserGroupMappingMutation = { readonly setUserGroupMapping: { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type RemoveUserGroupMappingMutationVariables = Exact<{
  input: RemoveUserGroupMappingInput;
}>;


export type RemoveUserGroupMappingMutation = { readonly removeUserGroupMapping: { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type ReplaceUserGroupMappingMutationVariables = Exact<{
  input: ReplaceUserGroupMappingInput;
}>;


export type ReplaceUserGroupMappingMutation = { readonly replaceUserGroupMapping: { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UserGroupChangedSubscriptionVariables = Exact<{
  by: UserGroupBy;
}>;


export type UserGroupChangedSubscription = { readonly userGroupChanged: { readonly kind: UserGroupChangeKind, readonly userGroup: UserGroupFieldsFragment | null } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly userGroup: { readonly id: string, readonly version: number, readonly name: string, readonly properties: { readonly [key: string]: unknown } | null, readonly variableDefaults: { readonly [key: string]: unknown } | null, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly providedId: string } }> } | null } | null };

export type ViewerChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type ViewerChangedSubscription = { readonly userGroupChanged: { readonly userGroup: { readonly id: string, readonly version: number, readonly name: string, readonly properties: { readonly [key: string]: unknown } | null, readonly variableDefaults: { readonly [key: string]: unknown } | null, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly providedId: string } }> } | null } | null };

export type WebhookEndpointFieldsFragment = { readonly id: string, readonly name: string, readonly url: string, readonly events: ReadonlyArray<WebhookEvent>, readonly version: number, readonly createdAt: string, readonly disabledAt: string | null, readonly health: { readonly disabledReason: WebhookDisabledReason | null, readonly lastSuccessAt: string | null, readonly lastFailureAt: string | null, readonly lastError: string | null, readonly consecutiveFailures: number, readonly pausedUntil: string | null } };

export type WebhookDeliveryFieldsFragment = { readonly id: string, readonly event: WebhookEvent, readonly eventId: string, readonly payload: { readonly [key: string]: unknown }, readonly state: WebhookDeliveryState, readonly attempts: number, readonly nextAttemptAt: string | null, readonly lastStatus: number | null, readonly lastError: string | null, readonly createdAt: string, readonly deliveredAt: string | null };

export type WebhookEndpointsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: WebhookEndpointFilter | null | undefined;
}>;


export type WebhookEndpointsQuery = { readonly webhookEndpoints: { readonly nodes: ReadonlyArray<WebhookEndpointFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type WebhookDeliveriesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  filter?: WebhookDeliveryFilter | null | undefined;
}>;


export type WebhookDeliveriesQuery = { readonly webhookDeliveries: { readonly nodes: ReadonlyArray<WebhookDeliveryFieldsFragment>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateWebhookEndpointMutation = { readonly createWebhookEndpoint: { readonly secret: string | null, readonly webhookEndpoint: WebhookEndpointFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { readonly updateWebhookEndpoint: { readonly webhookEndpoint: WebhookEndpointFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type RotateWebhookSecretMutationVariables = Exact<{
  input: RotateWebhookSecretInput;
}>;


export type RotateWebhookSecretMutation = { readonly rotateWebhookSecret: { readonly secret: string | null, readonly webhookEndpoint: WebhookEndpointFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  input: DeleteWebhookEndpointInput;
}>;


export type DeleteWebhookEndpointMutation = { readonly deleteWebhookEndpoint: { readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SendTestWebhookMutationVariables = Exact<{
  input: SendTestWebhookInput;
}>;


export type SendTestWebhookMutation = { readonly sendTestWebhook: { readonly webhookDelivery: WebhookDeliveryFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type ReplayWebhookDeliveryMutationVariables = Exact<{
  input: ReplayWebhookDeliveryInput;
}>;


export type ReplayWebhookDeliveryMutation = { readonly replayWebhookDelivery: { readonly webhookDelivery: WebhookDeliveryFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export const ApiKeysDocument = /* @__PURE__ */ new DocumentText<ApiKeysQuery, ApiKeysQueryVariables>(
  "query ApiKeys($first:Int!$after:String$filter:ApiKeyFilter$orderBy:ApiKeyOrder){apiKeys(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...ApiKeyFields}pageInfo{hasNextPage endCursor}}}fragment ApiKeyFields on ApiKey{id name scope environment hint createdAt expiresAt lastUsedAt revokedAt}",
);

export const CreateApiKeyDocument = /* @__PURE__ */ new DocumentText<CreateApiKeyMutation, CreateApiKeyMutationVariables>(
  "mutation CreateApiKey($input:CreateApiKeyInput!){createApiKey(input:$input){apiKey{...ApiKeyFields}secret userErrors{...UserErrorFields}}}fragment ApiKeyFields on ApiKey{id name scope environment hint createdAt expiresAt lastUsedAt revokedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RevokeApiKeyDocument = /* @__PURE__ */ new DocumentText<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>(
  "mutation RevokeApiKey($input:RevokeApiKeyInput!){revokeApiKey(input:$input){apiKey{...ApiKeyFields}userErrors{...UserErrorFields}}}fragment ApiKeyFields on ApiKey{id name scope environment hint createdAt expiresAt lastUsedAt revokedAt}fragment UserErrorFields on UserError{code message field}",
);

export const DataSourceDocument = /* @__PURE__ */ new DocumentText<DataSourceQuery, DataSourceQueryVariables>(
  "query DataSource($by:DataSourceBy!){dataSource(by:$by){...DataSourceFields}}fragment DataSourceFields on DataSource{id dataSourceId providedId name version createdAt}",
);

export const DataSourcesDocument = /* @__PURE__ */ new DocumentText<DataSourcesQuery, DataSourcesQueryVariables>(
  "query DataSources($first:Int!$after:String$filter:DataSourceFilter$orderBy:DataSourceOrder){dataSources(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...DataSourceFields}pageInfo{hasNextPage endCursor}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name version createdAt}",
);

export const CreateDataSourceDocument = /* @__PURE__ */ new DocumentText<CreateDataSourceMutation, CreateDataSourceMutationVariables>(
  "mutation CreateDataSource($input:CreateDataSourceInput!){createDataSource(input:$input){dataSource{...DataSourceFields}userErrors{...UserErrorFields}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name version createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateDataSourceDocument = /* @__PURE__ */ new DocumentText<UpdateDataSourceMutation, UpdateDataSourceMutationVariables>(
  "mutation UpdateDataSource($input:UpdateDataSourceInput!){updateDataSource(input:$input){dataSource{...DataSourceFields}userErrors{...UserErrorFields}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name version createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteDataSourceDocument = /* @__PURE__ */ new DocumentText<DeleteDataSourceMutation, DeleteDataSourceMutationVariables>(
  "mutation DeleteDataSource($input:DeleteDataSourceInput!){deleteDataSource(input:$input){deletedDataSourceId userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const PropertySchemaDocument = /* @__PURE__ */ new DocumentText<PropertySchemaQuery, PropertySchemaQueryVariables>(
  "query PropertySchema{propertySchema{...PropertySchemaFields}}fragment PropertySchemaFields on PropertySchema{schema mode version updatedAt}",
);

export const SetPropertySchemaDocument = /* @__PURE__ */ new DocumentText<SetPropertySchemaMutation, SetPropertySchemaMutationVariables>(
  "mutation SetPropertySchema($input:SetPropertySchemaInput!){setPropertySchema(input:$input){propertySchema{...PropertySchemaFields}report{checked invalid}userErrors{...UserErrorFields}}}fragment PropertySchemaFields on PropertySchema{schema mode version updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const SessionTemplatesDocument = /* @__PURE__ */ new DocumentText<SessionTemplatesQuery, SessionTemplatesQueryVariables>(
  "query SessionTemplates($first:Int!$after:String){sessionTemplates(first:$first after:$after){nodes{...SessionTemplateFields}pageInfo{hasNextPage endCursor}}}fragment SessionTemplateFields on SessionTemplate{id name description algorithm header claims lifetimeSeconds url hasSecret issuer keySetUrl version createdAt updatedAt}",
);

export const CreateSessionTemplateDocument = /* @__PURE__ */ new DocumentText<CreateSessionTemplateMutation, CreateSessionTemplateMutationVariables>(
  "mutation CreateSessionTemplate($input:CreateSessionTemplateInput!){createSessionTemplate(input:$input){sessionTemplate{...SessionTemplateFields}warnings userErrors{...UserErrorFields}}}fragment SessionTemplateFields on SessionTemplate{id name description algorithm header claims lifetimeSeconds url hasSecret issuer keySetUrl version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateSessionTemplateDocument = /* @__PURE__ */ new DocumentText<UpdateSessionTemplateMutation, UpdateSessionTemplateMutationVariables>(
  "mutation UpdateSessionTemplate($input:UpdateSessionTemplateInput!){updateSessionTemplate(input:$input){sessionTemplate{...SessionTemplateFields}warnings userErrors{...UserErrorFields}}}fragment SessionTemplateFields on SessionTemplate{id name description algorithm header claims lifetimeSeconds url hasSecret issuer keySetUrl version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteSessionTemplateDocument = /* @__PURE__ */ new DocumentText<DeleteSessionTemplateMutation, DeleteSessionTemplateMutationVariables>(
  "mutation DeleteSessionTemplate($input:DeleteSessionTemplateInput!){deleteSessionTemplate(input:$input){deletedSessionTemplateId userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SiteConfigDocument = /* @__PURE__ */ new DocumentText<SiteConfigQuery, SiteConfigQueryVariables>(
  "query SiteConfig($site:String!){siteConfig(site:$site){...SiteConfigFields}}fragment SiteConfigFields on SiteConfig{site revision text document isPublic publicPath createdAt updatedAt}",
);

export const SiteConfigsDocument = /* @__PURE__ */ new DocumentText<SiteConfigsQuery, SiteConfigsQueryVariables>(
  "query SiteConfigs($first:Int!$after:String){siteConfigs(first:$first after:$after){nodes{site revision isPublic publicPath createdAt updatedAt}pageInfo{hasNextPage endCursor}}}",
);

export const PutSiteConfigDocument = /* @__PURE__ */ new DocumentText<PutSiteConfigMutation, PutSiteConfigMutationVariables>(
  "mutation PutSiteConfig($input:PutSiteConfigInput!){putSiteConfig(input:$input){siteConfig{...SiteConfigFields}report{...SiteConfigReportFields}userErrors{...UserErrorFields}}}fragment SiteConfigFields on SiteConfig{site revision text document isPublic publicPath createdAt updatedAt}fragment SiteConfigReportFields on SiteConfigReport{isValid errors{...SiteConfigFindingFields}warnings{...SiteConfigFindingFields}notices{...SiteConfigFindingFields}}fragment SiteConfigFindingFields on SiteConfigFinding{code message pointer line column count}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteSiteConfigDocument = /* @__PURE__ */ new DocumentText<DeleteSiteConfigMutation, DeleteSiteConfigMutationVariables>(
  "mutation DeleteSiteConfig($input:DeleteSiteConfigInput!){deleteSiteConfig(input:$input){deletedSiteConfigId userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupDocument = /* @__PURE__ */ new DocumentText<UserGroupQuery, UserGroupQueryVariables>(
  "query UserGroup($by:UserGroupBy!){userGroup(by:$by){...UserGroupFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UserGroupsDocument = /* @__PURE__ */ new DocumentText<UserGroupsQuery, UserGroupsQueryVariables>(
  "query UserGroups($first:Int!$after:String$filter:UserGroupFilter$orderBy:UserGroupOrder){userGroups(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...UserGroupFields}pageInfo{hasNextPage endCursor}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UpsertUserGroupsDocument = /* @__PURE__ */ new DocumentText<UpsertUserGroupsMutation, UpsertUserGroupsMutationVariables>(
  "mutation UpsertUserGroups($input:UpsertUserGroupsInput!){upsertUserGroups(input:$input){results{isNew userGroup{...UserGroupFields}userErrors{...UserErrorFields}}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const GetOrCreateUserGroupDocument = /* @__PURE__ */ new DocumentText<GetOrCreateUserGroupMutation, GetOrCreateUserGroupMutationVariables>(
  "mutation GetOrCreateUserGroup($input:GetOrCreateUserGroupInput!){getOrCreateUserGroup(input:$input){isNew userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RotateUserGroupTokenDocument = /* @__PURE__ */ new DocumentText<RotateUserGroupTokenMutation, RotateUserGroupTokenMutationVariables>(
  "mutation RotateUserGroupToken($input:RotateUserGroupTokenInput!){rotateUserGroupToken(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const CreateTemplateSessionDocument = /* @__PURE__ */ new DocumentText<CreateTemplateSessionMutation, CreateTemplateSessionMutationVariables>(
  "mutation CreateTemplateSession($input:CreateTemplateSessionInput!){createTemplateSession(input:$input){template token expiresAt url userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const CreateEmbedSessionDocument = /* @__PURE__ */ new DocumentText<CreateEmbedSessionMutation, CreateEmbedSessionMutationVariables>(
  "mutation CreateEmbedSession($input:CreateEmbedSessionInput!){createEmbedSession(input:$input){token expiresAt userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateUserGroupDocument = /* @__PURE__ */ new DocumentText<UpdateUserGroupMutation, UpdateUserGroupMutationVariables>(
  "mutation UpdateUserGroup($input:UpdateUserGroupInput!){updateUserGroup(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RotateUserGroupTokensDocument = /* @__PURE__ */ new DocumentText<RotateUserGroupTokensMutation, RotateUserGroupTokensMutationVariables>(
  "mutation RotateUserGroupTokens($input:RotateUserGroupTokensInput!){rotateUserGroupTokens(input:$input){results{userGroup{...UserGroupFields}userErrors{...UserErrorFields}}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteUserGroupsDocument = /* @__PURE__ */ new DocumentText<DeleteUserGroupsMutation, DeleteUserGroupsMutationVariables>(
  "mutation DeleteUserGroups($input:DeleteUserGroupsInput!){deleteUserGroups(input:$input){results{deletedUserGroupId userErrors{...UserErrorFields}}userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteUserGroupDocument = /* @__PURE__ */ new DocumentText<DeleteUserGroupMutation, DeleteUserGroupMutationVariables>(
  "mutation DeleteUserGroup($input:DeleteUserGroupInput!){deleteUserGroup(input:$input){userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SetUserGroupMappingDocument = /* @__PURE__ */ new DocumentText<SetUserGroupMappingMutation, SetUserGroupMappingMutationVariables>(
  "mutation SetUserGroupMapping($input:SetUserGroupMappingInput!){setUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RemoveUserGroupMappingDocument = /* @__PURE__ */ new DocumentText<RemoveUserGroupMappingMutation, RemoveUserGroupMappingMutationVariables>(
  "mutation RemoveUserGroupMapping($input:RemoveUserGroupMappingInput!){removeUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const ReplaceUserGroupMappingDocument = /* @__PURE__ */ new DocumentText<ReplaceUserGroupMappingMutation, ReplaceUserGroupMappingMutationVariables>(
  "mutation ReplaceUserGroupMapping($input:ReplaceUserGroupMappingInput!){replaceUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupChangedDocument = /* @__PURE__ */ new DocumentText<UserGroupChangedSubscription, UserGroupChangedSubscriptionVariables>(
  "subscription UserGroupChanged($by:UserGroupBy!){userGroupChanged(by:$by){kind userGroup{...UserGroupFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const ViewerDocument = /* @__PURE__ */ new DocumentText<ViewerQuery, ViewerQueryVariables>(
  "query Viewer{viewer{userGroup{id version name properties variableDefaults mapping{schemaId dataSource{providedId}}}}}",
);

export const ViewerChangedDocument = /* @__PURE__ */ new DocumentText<ViewerChangedSubscription, ViewerChangedSubscriptionVariables>(
  "subscription ViewerChanged{userGroupChanged{userGroup{id version name properties variableDefaults mapping{schemaId dataSource{providedId}}}}}",
);

export const WebhookEndpointsDocument = /* @__PURE__ */ new DocumentText<WebhookEndpointsQuery, WebhookEndpointsQueryVariables>(
  "query WebhookEndpoints($first:Int!$after:String$filter:WebhookEndpointFilter){webhookEndpoints(first:$first after:$after filter:$filter){nodes{...WebhookEndpointFields}pageInfo{hasNextPage endCursor}}}fragment WebhookEndpointFields on WebhookEndpoint{id name url events version createdAt disabledAt health{disabledReason lastSuccessAt lastFailureAt lastError consecutiveFailures pausedUntil}}",
);

export const WebhookDeliveriesDocument = /* @__PURE__ */ new DocumentText<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>(
  "query WebhookDeliveries($first:Int!$after:String$filter:WebhookDeliveryFilter){webhookDeliveries(first:$first after:$after filter:$filter){nodes{...WebhookDeliveryFields}pageInfo{hasNextPage endCursor}}}fragment WebhookDeliveryFields on WebhookDelivery{id event eventId payload state attempts nextAttemptAt lastStatus lastError createdAt deliveredAt}",
);

export const CreateWebhookEndpointDocument = /* @__PURE__ */ new DocumentText<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables>(
  "mutation CreateWebhookEndpoint($input:CreateWebhookEndpointInput!){createWebhookEndpoint(input:$input){webhookEndpoint{...WebhookEndpointFields}secret userErrors{...UserErrorFields}}}fragment WebhookEndpointFields on WebhookEndpoint{id name url events version createdAt disabledAt health{disabledReason lastSuccessAt lastFailureAt lastError consecutiveFailures pausedUntil}}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateWebhookEndpointDocument = /* @__PURE__ */ new DocumentText<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables>(
  "mutation UpdateWebhookEndpoint($input:UpdateWebhookEndpointInput!){updateWebhookEndpoint(input:$input){webhookEndpoint{...WebhookEndpointFields}userErrors{...UserErrorFields}}}fragment WebhookEndpointFields on WebhookEndpoint{id name url events version createdAt disabledAt health{disabledReason lastSuccessAt lastFailureAt lastError consecutiveFailures pausedUntil}}fragment UserErrorFields on UserError{code message field}",
);

export const RotateWebhookSecretDocument = /* @__PURE__ */ new DocumentText<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>(
  "mutation RotateWebhookSecret($input:RotateWebhookSecretInput!){rotateWebhookSecret(input:$input){webhookEndpoint{...WebhookEndpointFields}secret userErrors{...UserErrorFields}}}fragment WebhookEndpointFields on WebhookEndpoint{id name url events version createdAt disabledAt health{disabledReason lastSuccessAt lastFailureAt lastError consecutiveFailures pausedUntil}}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteWebhookEndpointDocument = /* @__PURE__ */ new DocumentText<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables>(
  "mutation DeleteWebhookEndpoint($input:DeleteWebhookEndpointInput!){deleteWebhookEndpoint(input:$input){userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SendTestWebhookDocument = /* @__PURE__ */ new DocumentText<SendTestWebhookMutation, SendTestWebhookMutationVariables>(
  "mutation SendTestWebhook($input:SendTestWebhookInput!){sendTestWebhook(input:$input){webhookDelivery{...WebhookDeliveryFields}userErrors{...UserErrorFields}}}fragment WebhookDeliveryFields on WebhookDelivery{id event eventId payload state attempts nextAttemptAt lastStatus lastError createdAt deliveredAt}fragment UserErrorFields on UserError{code message field}",
);

export const ReplayWebhookDeliveryDocument = /* @__PURE__ */ new DocumentText<ReplayWebhookDeliveryMutation, ReplayWebhookDeliveryMutationVariables>(
  "mutation ReplayWebhookDelivery($input:ReplayWebhookDeliveryInput!){replayWebhookDelivery(input:$input){webhookDelivery{...WebhookDeliveryFields}userErrors{...UserErrorFields}}}fragment WebhookDeliveryFields on WebhookDelivery{id event eventId payload state attempts nextAttemptAt lastStatus lastError createdAt deliveredAt}fragment UserErrorFields on UserError{code message field}",
);
