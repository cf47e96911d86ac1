// Made from clients/typescript/operations and schema.graphql by `npm run client:write`.
import { DocumentText } from "../document.js";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Input for `createDataSource`. */
export type CreateDataSourceInput = {
  /** The data source's name. */
  readonly name: string;
  /** The data source's external ID, unique within its environment. */
  readonly providedId: string;
};

/** Identifies a data source by exactly one of these fields. */
export type DataSourceBy = {
  /** The data source's internal ID. */
  readonly dataSourceId?: number | null | undefined;
  /** The data source's global ID. */
  readonly id?: string | number | null | undefined;
  /** The data source's external ID. */
  readonly providedId?: string | null | undefined;
};

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
};

/** Input for `deleteUserGroup`. */
export type DeleteUserGroupInput = {
  /** The user group's current token. */
  readonly currentToken: string;
  /** A data source's external ID. If set, the token's user group must be mapped to that data source. */
  readonly dataSourceProvidedId?: string | null | undefined;
  /** The user group's external ID. If set, it must match the token's user group. */
  readonly providedId?: string | null | undefined;
};

/** An environment of an account. An API key gives access to one environment, and environments share no data. */
export type Environment =
  /** User groups of real customers; `Customer` in the REST API. */
  | 'CUSTOMER'
  /** User groups for testing; `Testing` in the REST API. */
  | 'TESTING';

/** An error code: one of the REST API's codes, in upper case. */
export type ErrorCode =
  /** No API key has this ID. */
  | 'API_KEY_NOT_FOUND'
  /** The request is not valid HTTP. */
  | 'BAD_REQUEST'
  /** The request contains more than one operation. */
  | 'BATCHING_DISABLED'
  /** Another data source has this external ID. */
  | 'DATA_SOURCE_EXISTS'
  /** A mapping still uses the data source. */
  | 'DATA_SOURCE_IN_USE'
  /** No data source has this ID. */
  | 'DATA_SOURCE_NOT_FOUND'
  /** The API key lacks the required scope. */
  | 'FORBIDDEN'
  /** A request with the same Idempotency-Key is still in progress. */
  | 'IDEMPOTENCY_KEY_IN_USE'
  /** The Idempotency-Key was used for another request. */
  | 'IDEMPOTENCY_MISMATCH'
  /** The service failed unexpectedly. */
  | 'INTERNAL'
  /** A field is missing, of the wrong type, too long or too deep. */
  | 'INVALID_FIELD'
  /** The body is not JSON. */
  | 'INVALID_JSON'
  /** The site configuration has errors. */
  | 'INVALID_SITE_CONFIG'
  /** The path does not support this method. */
  | 'METHOD_NOT_ALLOWED'
  /** The path does not exist. */
  | 'NOT_FOUND'
  /** The body is too large. */
  | 'PAYLOAD_TOO_LARGE'
  /** The query is not on the service's allow-list. */
  | 'QUERY_NOT_ALLOWED'
  /** The query is too deep. */
  | 'QUERY_TOO_DEEP'
  /** The query is too expensive. */
  | 'QUERY_TOO_EXPENSIVE'
  /** The caller sent too many requests. */
  | 'RATE_LIMITED'
  /** The site has no configuration, or not this revision. */
  | 'SITE_CONFIG_NOT_FOUND'
  /** The subscription ended because its events were not read. */
  | 'SLOW_CONSUMER'
  /** The query has too many aliases. */
  | 'TOO_MANY_ALIASES'
  /** The query has too many root fields. */
  | 'TOO_MANY_ROOT_FIELDS'
  /** The query is too long. */
  | 'TOO_MANY_TOKENS'
  /** The credentials are missing, unknown, revoked or expired. */
  | 'UNAUTHENTICATED'
  /** The service is temporarily unavailable. */
  | 'UNAVAILABLE'
  /** A mapping contains a data source that does not exist in the environment. */
  | 'UNKNOWN_DATA_SOURCE'
  /** The content type is not JSON. */
  | 'UNSUPPORTED_MEDIA_TYPE'
  /** Another user group has this external ID. */
  | 'USER_GROUP_EXISTS'
  /** The request does not match the user group that `current_token` identifies. */
  | 'USER_GROUP_MISMATCH'
  /** No user group has this ID or token. */
  | 'USER_GROUP_NOT_FOUND'
  /** The object was changed since you read it. */
  | 'VERSION_CONFLICT'
  /** No webhook delivery has this ID. */
  | 'WEBHOOK_DELIVERY_NOT_FOUND'
  /** No webhook endpoint has this ID. */
  | 'WEBHOOK_ENDPOINT_NOT_FOUND';

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

/** Input for `putSiteConfig`. Set exactly one of `text` and `document`. */
export type PutSiteConfigInput = {
  /** The configuration as JSON. Integer-like keys come first, as in JavaScript; send `text` to preserve the exact text. */
  readonly document?: object | null | undefined;
  /** The number of the current revision as you last read it; 0 if the site must not exist yet. The change fails if the current revision is another one. */
  readonly expectedRevision?: number | null | undefined;
  /** If true, anyone can read the configuration over HTTP. If omitted, existing sites keep their visibility and new sites are private. */
  readonly public?: boolean | null | undefined;
  /** The site's name. */
  readonly site?: string | null | undefined;
  /** If true, warnings count as errors. */
  readonly strict?: boolean | null | undefined;
  /** The configuration as the text of its file. */
  readonly text?: string | null | undefined;
};

/** Input for `removeMapping`. */
export type RemoveMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The schema ID. If the schema is not mapped, nothing changes. */
  readonly schemaId: string;
};

/** Input for `replaceMapping`. */
export type ReplaceMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The new entries. Existing entries that are not among them are removed. */
  readonly mapping: ReadonlyArray<MappingInput>;
};

/** Input for `setMapping`. */
export type SetMappingInput = {
  /** The user group to update. */
  readonly by: UserGroupBy;
  /** The data source's external ID or, if none matches, its internal ID. */
  readonly dataSource: string;
  /** The schema ID. */
  readonly schemaId: string;
};

/** Input for `updateDataSource`. Omitted fields keep their values. */
export type UpdateDataSourceInput = {
  /** The data source to update. */
  readonly by: DataSourceBy;
  /** The new name. Must not be null. */
  readonly name?: string | null | undefined;
  /** The new external ID. Must not be null. */
  readonly providedId?: string | null | undefined;
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
  /** The user groups, at most 1000. */
  readonly userGroups: ReadonlyArray<UpsertUserGroupInput>;
};

/** Identifies a user group by exactly one of these fields. */
export type UserGroupBy = {
  /** The user group's global ID. */
  readonly id?: string | number | null | undefined;
  /** The user group's external ID. */
  readonly providedId?: string | null | undefined;
  /** The user group's internal ID. */
  readonly teamId?: number | null | undefined;
  /** The user group's token. */
  readonly token?: string | null | undefined;
};

/** The type of a change to a user group. */
export type UserGroupChangeKind =
  /** The user group was deleted. The subscription ends. */
  | 'DELETED'
  /** The token was rotated. */
  | 'TOKEN_ROTATED'
  /** The name, properties or mapping was updated. */
  | 'UPDATED';

/** Filters user groups, which must meet all conditions. */
export type UserGroupFilter = {
  /** User groups created in this time range. */
  readonly createdAt?: DateTimeRange | null | undefined;
  /** User groups mapped to this data source or, combined with `schemaId`, those that map this schema to it. */
  readonly dataSource?: DataSourceBy | null | undefined;
  /** Items whose name contains this text, ignoring case. */
  readonly nameContains?: string | null | undefined;
  /** User groups whose name starts with this text, ignoring case. */
  readonly nameStartsWith?: string | null | undefined;
  /** User groups whose properties contain this JSON object, with the same values at the same paths. */
  readonly properties?: object | null | undefined;
  /** Items with one of these external IDs, at most 1000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
  /** User groups whose mapping contains this schema. */
  readonly schemaId?: string | null | undefined;
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

export type DataSourceFieldsFragment = { readonly id: string, readonly dataSourceId: number, readonly providedId: string, readonly name: string, readonly createdAt: string };

export type DataSourceResultFragment = { readonly dataSource: DataSourceFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> };

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


export type CreateDataSourceMutation = { readonly createDataSource: DataSourceResultFragment };

export type UpdateDataSourceMutationVariables = Exact<{
  input: UpdateDataSourceInput;
}>;


export type UpdateDataSourceMutation = { readonly updateDataSource: DataSourceResultFragment };

export type DeleteDataSourceMutationVariables = Exact<{
  input: DeleteDataSourceInput;
}>;


export type DeleteDataSourceMutation = { readonly deleteDataSource: { readonly deletedDataSourceId: string | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SiteConfigFieldsFragment = { readonly site: string, readonly revision: number, readonly text: string, readonly document: { readonly [key: string]: unknown }, readonly public: boolean, readonly publicPath: string | null, readonly createdAt: string, readonly updatedAt: string };

export type SiteConfigReportFieldsFragment = { readonly valid: boolean, readonly errors: ReadonlyArray<SiteConfigFindingFieldsFragment>, readonly warnings: ReadonlyArray<SiteConfigFindingFieldsFragment> };

export type SiteConfigFindingFieldsFragment = { readonly code: string, readonly message: string, readonly pointer: string, readonly line: number | null, readonly column: number | null };

export type SiteConfigQueryVariables = Exact<{
  site: string;
}>;


export type SiteConfigQuery = { readonly siteConfig: SiteConfigFieldsFragment | null };

export type PutSiteConfigMutationVariables = Exact<{
  input: PutSiteConfigInput;
}>;


export type PutSiteConfigMutation = { readonly putSiteConfig: { readonly siteConfig: SiteConfigFieldsFragment | null, readonly report: SiteConfigReportFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type UserGroupFieldsFragment = { readonly id: string, readonly teamId: number, readonly providedId: string, readonly name: string, readonly token: string | null, readonly properties: { readonly [key: string]: unknown } | null, readonly environment: Environment, readonly version: number, readonly createdAt: string, readonly updatedAt: string, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly dataSourceId: number, readonly providedId: string, readonly name: string } }> };

export type UserErrorFieldsFragment = { readonly code: ErrorCode, readonly message: string, readonly field: ReadonlyArray<string> | null };

export type UserGroupResultFragment = { readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> };

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


export type UpsertUserGroupsMutation = { readonly upsertUserGroups: { readonly results: ReadonlyArray<{ readonly newUserGroup: boolean | null, readonly userGroup: UserGroupFieldsFragment | null, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> }>, readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type DeleteUserGroupMutationVariables = Exact<{
  input: DeleteUserGroupInput;
}>;


export type DeleteUserGroupMutation = { readonly deleteUserGroup: { readonly userErrors: ReadonlyArray<UserErrorFieldsFragment> } };

export type SetMappingMutationVariables = Exact<{
  input: SetMappingInput;
}>;


export type SetMappingMutation = { readonly setMapping: UserGroupResultFragment };

export type RemoveMappingMutationVariables = Exact<{
  input: RemoveMappingInput;
}>;


export type RemoveMappingMutation = { readonly removeMapping: UserGroupResultFragment };

export type ReplaceMappingMutationVariables = Exact<{
  input: ReplaceMappingInput;
}>;


export type ReplaceMappingMutation = { readonly replaceMapping: UserGroupResultFragment };

export type UserGroupChangedSubscriptionVariables = Exact<{
  by: UserGroupBy;
}>;


export type UserGroupChangedSubscription = { readonly userGroupChanged: { readonly kind: UserGroupChangeKind, readonly userGroup: UserGroupFieldsFragment | null } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly userGroup: { readonly name: string, readonly properties: { readonly [key: string]: unknown } | null, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly providedId: string, readonly name: string } }> } | null } | null };

export const DataSourceDocument = new DocumentText<DataSourceQuery, DataSourceQueryVariables>(
  "query DataSource($by:DataSourceBy!){dataSource(by:$by){...DataSourceFields}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}",
);

export const DataSourcesDocument = new DocumentText<DataSourcesQuery, DataSourcesQueryVariables>(
  "query DataSources($first:Int!$after:String$filter:DataSourceFilter$orderBy:DataSourceOrder){dataSources(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...DataSourceFields}pageInfo{hasNextPage endCursor}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}",
);

export const CreateDataSourceDocument = new DocumentText<CreateDataSourceMutation, CreateDataSourceMutationVariables>(
  "mutation CreateDataSource($input:CreateDataSourceInput!){createDataSource(input:$input){...DataSourceResult}}fragment DataSourceResult on DataSourcePayload{dataSource{...DataSourceFields}userErrors{...UserErrorFields}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateDataSourceDocument = new DocumentText<UpdateDataSourceMutation, UpdateDataSourceMutationVariables>(
  "mutation UpdateDataSource($input:UpdateDataSourceInput!){updateDataSource(input:$input){...DataSourceResult}}fragment DataSourceResult on DataSourcePayload{dataSource{...DataSourceFields}userErrors{...UserErrorFields}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteDataSourceDocument = new DocumentText<DeleteDataSourceMutation, DeleteDataSourceMutationVariables>(
  "mutation DeleteDataSource($input:DeleteDataSourceInput!){deleteDataSource(input:$input){deletedDataSourceId userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SiteConfigDocument = new DocumentText<SiteConfigQuery, SiteConfigQueryVariables>(
  "query SiteConfig($site:String!){siteConfig(site:$site){...SiteConfigFields}}fragment SiteConfigFields on SiteConfig{site revision text document public publicPath createdAt updatedAt}",
);

export const PutSiteConfigDocument = new DocumentText<PutSiteConfigMutation, PutSiteConfigMutationVariables>(
  "mutation PutSiteConfig($input:PutSiteConfigInput!){putSiteConfig(input:$input){siteConfig{...SiteConfigFields}report{...SiteConfigReportFields}userErrors{...UserErrorFields}}}fragment SiteConfigFields on SiteConfig{site revision text document public publicPath createdAt updatedAt}fragment SiteConfigReportFields on SiteConfigReport{valid errors{...SiteConfigFindingFields}warnings{...SiteConfigFindingFields}}fragment SiteConfigFindingFields on SiteConfigFinding{code message pointer line column}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupDocument = new DocumentText<UserGroupQuery, UserGroupQueryVariables>(
  "query UserGroup($by:UserGroupBy!){userGroup(by:$by){...UserGroupFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UserGroupsDocument = new DocumentText<UserGroupsQuery, UserGroupsQueryVariables>(
  "query UserGroups($first:Int!$after:String$filter:UserGroupFilter$orderBy:UserGroupOrder){userGroups(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...UserGroupFields}pageInfo{hasNextPage endCursor}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UpsertUserGroupsDocument = new DocumentText<UpsertUserGroupsMutation, UpsertUserGroupsMutationVariables>(
  "mutation UpsertUserGroups($input:UpsertUserGroupsInput!){upsertUserGroups(input:$input){results{newUserGroup userGroup{...UserGroupFields}userErrors{...UserErrorFields}}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteUserGroupDocument = new DocumentText<DeleteUserGroupMutation, DeleteUserGroupMutationVariables>(
  "mutation DeleteUserGroup($input:DeleteUserGroupInput!){deleteUserGroup(input:$input){userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SetMappingDocument = new DocumentText<SetMappingMutation, SetMappingMutationVariables>(
  "mutation SetMapping($input:SetMappingInput!){setMapping(input:$input){...UserGroupResult}}fragment UserGroupResult on UserGroupPayload{userGroup{...UserGroupFields}userErrors{...UserErrorFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RemoveMappingDocument = new DocumentText<RemoveMappingMutation, RemoveMappingMutationVariables>(
  "mutation RemoveMapping($input:RemoveMappingInput!){removeMapping(input:$input){...UserGroupResult}}fragment UserGroupResult on UserGroupPayload{userGroup{...UserGroupFields}userErrors{...UserErrorFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const ReplaceMappingDocument = new DocumentText<ReplaceMappingMutation, ReplaceMappingMutationVariables>(
  "mutation ReplaceMapping($input:ReplaceMappingInput!){replaceMapping(input:$input){...UserGroupResult}}fragment UserGroupResult on UserGroupPayload{userGroup{...UserGroupFields}userErrors{...UserErrorFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupChangedDocument = new DocumentText<UserGroupChangedSubscription, UserGroupChangedSubscriptionVariables>(
  "subscription UserGroupChanged($by:UserGroupBy!){userGroupChanged(by:$by){kind userGroup{...UserGroupFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const ViewerDocument = new DocumentText<ViewerQuery, ViewerQueryVariables>(
  "query Viewer{viewer{userGroup{name properties mapping{schemaId dataSource{providedId name}}}}}",
);
