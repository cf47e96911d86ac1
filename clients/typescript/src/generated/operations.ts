// Made from clients/typescript/operations and schema.graphql by `npm run client:write`.
import { DocumentText } from "../document.js";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A new data source. */
export type CreateDataSourceInput = {
  /** The name. */
  readonly name: string;
  /** Your own id of the data source, unique in the environment. */
  readonly providedId: string;
};

/** Names one data source, by exactly one of these. */
export type DataSourceBy = {
  /** The internal id. */
  readonly dataSourceId?: number | null | undefined;
  /** The global id. */
  readonly id?: string | number | null | undefined;
  /** Your own id of the data source. */
  readonly providedId?: string | null | undefined;
};

/** Only data sources that meet all of these. */
export type DataSourceFilter = {
  /** Those whose name has this part, whatever its case. */
  readonly nameContains?: string | null | undefined;
  /** Those with one of these ids of yours; at most 1,000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
};

/** How a list of data sources is sorted. */
export type DataSourceOrder = {
  /** Which end comes first. */
  readonly direction?: OrderDirection;
  /** What the list is sorted by. */
  readonly field: DataSourceOrderField;
};

/** What a list of data sources is sorted by. */
export type DataSourceOrderField =
  /** When the data source was created. */
  | 'CREATED_AT'
  /** The internal id: the order of creation. */
  | 'DATA_SOURCE_ID'
  /** The name, by code points. */
  | 'NAME'
  /** Your own id, by code points. */
  | 'PROVIDED_ID';

/** A stretch of time; an end that is absent is open. */
export type DateTimeRange = {
  /** The first moment. */
  readonly from?: string | null | undefined;
  /** The first moment that no longer belongs. */
  readonly to?: string | null | undefined;
};

/** The data source to delete. */
export type DeleteDataSourceInput = {
  /** The data source; it must not be in use by any mapping. */
  readonly by: DataSourceBy;
};

/** The user group to delete. */
export type DeleteUserGroupInput = {
  /** The group's present token. */
  readonly currentToken: string;
  /** Your own id of a data source: if given, the token's group must be mapped to it. */
  readonly dataSourceProvidedId?: string | null | undefined;
  /** Your own id of the group: if given, it must agree with the token's group. */
  readonly providedId?: string | null | undefined;
};

/** The part of an account that an API key opens: nothing in one is visible from the other. */
export type Environment =
  /** The groups of real customers; `Customer` in the REST API. */
  | 'CUSTOMER'
  /** Groups to try things with; `Testing` in the REST API. */
  | 'TESTING';

/** What went wrong: the error codes of the REST API, in capitals. */
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
  /** The query is not on the service's allow-list. */
  | 'UNTRUSTED_DOCUMENT'
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

/** The data source for one schema. */
export type MappingInput = {
  /** Your own id of the data source, else its internal id. */
  readonly dataSource: string;
  /** The id of the schema. */
  readonly schemaId: string;
};

/** Which end of a sorted list comes first. */
export type OrderDirection =
  /** The smallest or oldest first. */
  | 'ASC'
  /** The largest or newest first. */
  | 'DESC';

/** A new revision of a site's configuration; exactly one of `text` and `document`. */
export type PutSiteConfigInput = {
  /** The configuration as JSON; keys that look like integers come first, as in JavaScript. To keep it character by character, send `text`. */
  readonly document?: object | null | undefined;
  /** The number of the revision that is changed: refused when there is a newer one. 0: refused when there is any. */
  readonly expectedRevision?: number | null | undefined;
  /** Whether everybody may read the site over HTTP; absent: as it was, for a new site no. */
  readonly public?: boolean | null | undefined;
  /** The name of the site. */
  readonly site?: string | null | undefined;
  /** Whether warnings count as errors. */
  readonly strict?: boolean | null | undefined;
  /** The configuration as the text of its file. */
  readonly text?: string | null | undefined;
};

/** The schema to take out of a user group's mapping. */
export type RemoveMappingInput = {
  /** The group to change. */
  readonly by: UserGroupBy;
  /** The id of the schema; when it is not mapped, nothing changes. */
  readonly schemaId: string;
};

/** The whole new mapping of a user group. */
export type ReplaceMappingInput = {
  /** The group to change. */
  readonly by: UserGroupBy;
  /** The entries; those of before that are not among them go. */
  readonly mapping: ReadonlyArray<MappingInput>;
};

/** The data source for one schema of a user group. */
export type SetMappingInput = {
  /** The group to change. */
  readonly by: UserGroupBy;
  /** Your own id of the data source, else its internal id. */
  readonly dataSource: string;
  /** The id of the schema. */
  readonly schemaId: string;
};

/** Changes to a data source: fields that are absent stay as they are. */
export type UpdateDataSourceInput = {
  /** The data source to change. */
  readonly by: DataSourceBy;
  /** The new name; null is refused. */
  readonly name?: string | null | undefined;
  /** The new provided id; null is refused. */
  readonly providedId?: string | null | undefined;
};

/** A user group to create, or to change: fields that are absent stay as they are. */
export type UpsertUserGroupInput = {
  /** A list that replaces the mapping; null clears it. */
  readonly mapping?: ReadonlyArray<MappingInput> | null | undefined;
  /** The name; required only when the group is created. */
  readonly name?: string | null | undefined;
  /** A JSON object that replaces the properties; null clears them. */
  readonly properties?: object | null | undefined;
  /** Your own id of the group; each only once in a call. */
  readonly providedId: string;
};

/** Many user groups to create or change at once. */
export type UpsertUserGroupsInput = {
  /** Whether one faulty group keeps all others from being written; otherwise only the faulty ones are left out. */
  readonly allOrNothing?: boolean;
  /** The groups: at most 1000. */
  readonly userGroups: ReadonlyArray<UpsertUserGroupInput>;
};

/** Names one user group, by exactly one of these. */
export type UserGroupBy = {
  /** The global id. */
  readonly id?: string | number | null | undefined;
  /** Your own id of the group. */
  readonly providedId?: string | null | undefined;
  /** The internal id. */
  readonly teamId?: number | null | undefined;
  /** The group's token. */
  readonly token?: string | null | undefined;
};

/** How a user group changed. */
export type UserGroupChangeKind =
  /** It is gone; the subscription ends. */
  | 'DELETED'
  /** It got a new token. */
  | 'TOKEN_ROTATED'
  /** Its name, properties or mapping changed. */
  | 'UPDATED';

/** Only user groups that meet all of these. */
export type UserGroupFilter = {
  /** Those created in this time. */
  readonly createdAt?: DateTimeRange | null | undefined;
  /** Those mapped to this data source; together with schemaId, for that schema. */
  readonly dataSource?: DataSourceBy | null | undefined;
  /** Those whose name has this part, whatever its case. */
  readonly nameContains?: string | null | undefined;
  /** Those whose name begins so, whatever its case. */
  readonly nameStartsWith?: string | null | undefined;
  /** Those whose properties contain this JSON object: its keys and values at the same places. */
  readonly properties?: object | null | undefined;
  /** Those with one of these ids of yours; at most 1,000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
  /** Those whose mapping has this schema. */
  readonly schemaId?: string | null | undefined;
  /** Those last changed in this time. */
  readonly updatedAt?: DateTimeRange | null | undefined;
};

/** How a list of user groups is sorted. */
export type UserGroupOrder = {
  /** Which end comes first. */
  readonly direction?: OrderDirection;
  /** What the list is sorted by. */
  readonly field: UserGroupOrderField;
};

/** What a list of user groups is sorted by. */
export type UserGroupOrderField =
  /** When the group was created. */
  | 'CREATED_AT'
  /** The name, by code points. */
  | 'NAME'
  /** Your own id, by code points. */
  | 'PROVIDED_ID'
  /** The internal id: the order of creation, roughly. */
  | 'TEAM_ID'
  /** When the group last changed; a change moves it while you page. */
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
