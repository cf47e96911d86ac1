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
};

/** Input for `deleteUserGroup`. */
export type DeleteUserGroupInput = {
  /** The user group to delete. */
  readonly by: UserGroupBy;
  /** A data source's external ID. If set, the user group must be mapped to that data source. */
  readonly dataSourceProvidedId?: string | null | undefined;
  /** The user group's external ID. If set, the user group must have it. */
  readonly providedId?: string | null | undefined;
};

/** An environment of an account. An API key gives access to one environment, and environments share no data. */
export type Environment =
  /** User groups of real customers; `Customer` in the REST API. */
  | 'CUSTOMER'
  /** User groups for testing; `Testing` in the REST API. */
  | 'TESTING';

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

/** Input for `putSiteConfig`. */
export type PutSiteConfigInput = {
  /** The number of the current revision as you last read it; 0 if the site must not exist yet. The change fails if the current revision is another one. */
  readonly expectedRevision?: number | null | undefined;
  /** If true, anyone can read the configuration over HTTP. If omitted, existing sites keep their visibility and new sites are private. */
  readonly isPublic?: boolean | null | undefined;
  /** The site's name. */
  readonly site?: string;
  /** The configuration to store. */
  readonly source: SiteConfigSource;
  /** If true, warnings count as errors. */
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

/** The code of an error in `userErrors`: one of the REST API's codes, in upper case. */
export type UserErrorCode =
  /** No API key has this ID. */
  | 'API_KEY_NOT_FOUND'
  /** The item is valid, but another item of the same request is not, so none was written. */
  | 'BATCH_REJECTED'
  /** Another data source has this external ID. */
  | 'DATA_SOURCE_EXISTS'
  /** A mapping still uses the data source. */
  | 'DATA_SOURCE_IN_USE'
  /** No data source has this ID. */
  | 'DATA_SOURCE_NOT_FOUND'
  /** A field is missing, of the wrong type, too long or too deep. */
  | 'INVALID_FIELD'
  /** The site configuration has errors. */
  | 'INVALID_SITE_CONFIG'
  /** The site has no configuration, or not this revision. */
  | 'SITE_CONFIG_NOT_FOUND'
  /** A mapping contains a data source that does not exist in the environment. */
  | 'UNKNOWN_DATA_SOURCE'
  /** Another user group has this external ID. */
  | 'USER_GROUP_EXISTS'
  /** The request does not match the identified user group. */
  | 'USER_GROUP_MISMATCH'
  /** No user group has this ID or token. */
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
  /** The user group was deleted. A subscription to this user group ends. */
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
  /** User groups whose external ID starts with this text, case-sensitive. */
  readonly providedIdStartsWith?: string | null | undefined;
  /** Items with one of these external IDs, at most 1000. */
  readonly providedIds?: ReadonlyArray<string> | null | undefined;
  /** User groups whose mapping contains this schema. */
  readonly schemaId?: string | null | undefined;
  /** User groups whose name or external ID contains this text, ignoring case. */
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

export type DataSourceFieldsFragment = { readonly id: string, readonly dataSourceId: number, readonly providedId: string, readonly name: string, readonly createdAt: string };

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

export type SiteConfigFieldsFragment = { readonly site: string, readonly revision: number, readonly text: string, readonly document: { readonly [key: string]: unknown }, readonly isPublic: boolean, readonly publicPath: string | null, readonly createdAt: string, readonly updatedAt: string };

export type SiteConfigReportFieldsFragment = { readonly isValid: boolean, readonly errors: ReadonlyArray<SiteConfigFindingFieldsFragment>, readonly warnings: ReadonlyArray<SiteConfigFindingFieldsFragment> };

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


export type ViewerQuery = { readonly viewer: { readonly embedSession: { readonly variables: { readonly [key: string]: unknown } } | null, readonly userGroup: { readonly name: string, readonly properties: { readonly [key: string]: unknown } | null, readonly mapping: ReadonlyArray<{ readonly schemaId: string, readonly dataSource: { readonly providedId: string, readonly name: string } }> } | null } | null };

export const DataSourceDocument = new DocumentText<DataSourceQuery, DataSourceQueryVariables>(
  "query DataSource($by:DataSourceBy!){dataSource(by:$by){...DataSourceFields}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}",
);

export const DataSourcesDocument = new DocumentText<DataSourcesQuery, DataSourcesQueryVariables>(
  "query DataSources($first:Int!$after:String$filter:DataSourceFilter$orderBy:DataSourceOrder){dataSources(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...DataSourceFields}pageInfo{hasNextPage endCursor}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}",
);

export const CreateDataSourceDocument = new DocumentText<CreateDataSourceMutation, CreateDataSourceMutationVariables>(
  "mutation CreateDataSource($input:CreateDataSourceInput!){createDataSource(input:$input){dataSource{...DataSourceFields}userErrors{...UserErrorFields}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const UpdateDataSourceDocument = new DocumentText<UpdateDataSourceMutation, UpdateDataSourceMutationVariables>(
  "mutation UpdateDataSource($input:UpdateDataSourceInput!){updateDataSource(input:$input){dataSource{...DataSourceFields}userErrors{...UserErrorFields}}}fragment DataSourceFields on DataSource{id dataSourceId providedId name createdAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteDataSourceDocument = new DocumentText<DeleteDataSourceMutation, DeleteDataSourceMutationVariables>(
  "mutation DeleteDataSource($input:DeleteDataSourceInput!){deleteDataSource(input:$input){deletedDataSourceId userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SiteConfigDocument = new DocumentText<SiteConfigQuery, SiteConfigQueryVariables>(
  "query SiteConfig($site:String!){siteConfig(site:$site){...SiteConfigFields}}fragment SiteConfigFields on SiteConfig{site revision text document isPublic publicPath createdAt updatedAt}",
);

export const PutSiteConfigDocument = new DocumentText<PutSiteConfigMutation, PutSiteConfigMutationVariables>(
  "mutation PutSiteConfig($input:PutSiteConfigInput!){putSiteConfig(input:$input){siteConfig{...SiteConfigFields}report{...SiteConfigReportFields}userErrors{...UserErrorFields}}}fragment SiteConfigFields on SiteConfig{site revision text document isPublic publicPath createdAt updatedAt}fragment SiteConfigReportFields on SiteConfigReport{isValid errors{...SiteConfigFindingFields}warnings{...SiteConfigFindingFields}}fragment SiteConfigFindingFields on SiteConfigFinding{code message pointer line column}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupDocument = new DocumentText<UserGroupQuery, UserGroupQueryVariables>(
  "query UserGroup($by:UserGroupBy!){userGroup(by:$by){...UserGroupFields}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UserGroupsDocument = new DocumentText<UserGroupsQuery, UserGroupsQueryVariables>(
  "query UserGroups($first:Int!$after:String$filter:UserGroupFilter$orderBy:UserGroupOrder){userGroups(first:$first after:$after filter:$filter orderBy:$orderBy){nodes{...UserGroupFields}pageInfo{hasNextPage endCursor}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const UpsertUserGroupsDocument = new DocumentText<UpsertUserGroupsMutation, UpsertUserGroupsMutationVariables>(
  "mutation UpsertUserGroups($input:UpsertUserGroupsInput!){upsertUserGroups(input:$input){results{isNew userGroup{...UserGroupFields}userErrors{...UserErrorFields}}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const DeleteUserGroupDocument = new DocumentText<DeleteUserGroupMutation, DeleteUserGroupMutationVariables>(
  "mutation DeleteUserGroup($input:DeleteUserGroupInput!){deleteUserGroup(input:$input){userErrors{...UserErrorFields}}}fragment UserErrorFields on UserError{code message field}",
);

export const SetUserGroupMappingDocument = new DocumentText<SetUserGroupMappingMutation, SetUserGroupMappingMutationVariables>(
  "mutation SetUserGroupMapping($input:SetUserGroupMappingInput!){setUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const RemoveUserGroupMappingDocument = new DocumentText<RemoveUserGroupMappingMutation, RemoveUserGroupMappingMutationVariables>(
  "mutation RemoveUserGroupMapping($input:RemoveUserGroupMappingInput!){removeUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const ReplaceUserGroupMappingDocument = new DocumentText<ReplaceUserGroupMappingMutation, ReplaceUserGroupMappingMutationVariables>(
  "mutation ReplaceUserGroupMapping($input:ReplaceUserGroupMappingInput!){replaceUserGroupMapping(input:$input){userGroup{...UserGroupFields}userErrors{...UserErrorFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}fragment UserErrorFields on UserError{code message field}",
);

export const UserGroupChangedDocument = new DocumentText<UserGroupChangedSubscription, UserGroupChangedSubscriptionVariables>(
  "subscription UserGroupChanged($by:UserGroupBy!){userGroupChanged(by:$by){kind userGroup{...UserGroupFields}}}fragment UserGroupFields on UserGroup{id teamId providedId name token properties mapping{schemaId dataSource{dataSourceId providedId name}}environment version createdAt updatedAt}",
);

export const ViewerDocument = new DocumentText<ViewerQuery, ViewerQueryVariables>(
  "query Viewer{viewer{embedSession{variables}userGroup{name properties mapping{schemaId dataSource{providedId name}}}}}",
);
