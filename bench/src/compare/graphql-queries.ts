/** The measured documents: ours, shared by all peers but PostGraphile, and PostGraphile's equivalents. */
export interface Documents {
  readonly one: string;
  readonly list: string;
  readonly tree: string;
}

export const LIST_SIZE = 50;
export const TREE_SIZE = 100;

const PAGE = "pageInfo { hasNextPage endCursor }";
const MAPPING = "mapping { schemaId dataSource { dataSourceId providedId name } }";

export const DOCUMENTS: Documents = {
  one: `query One($id: String!) {
    userGroup(by: { providedId: $id }) { teamId providedId name properties ${MAPPING} }
  }`,
  list: `query List($after: String) {
    userGroups(first: ${LIST_SIZE}, after: $after) { nodes { teamId providedId name properties version } ${PAGE} }
  }`,
  tree: `query Tree($after: String) {
    userGroups(first: ${TREE_SIZE}, after: $after) { nodes { teamId providedId name ${MAPPING} } ${PAGE} }
  }`,
};

export const VIEWER = `query Viewer {
  viewer { userGroup { name properties mapping { schemaId dataSource { providedId } } } }
}`;

const POSTGRAPHILE_MAPPING =
  "mapping: mappingEntriesByAccountIdAndEnvironmentAndUserGroupIdList { schemaId dataSource: dataSourceByAccountIdAndEnvironmentAndDataSourceId { dataSourceId: rowId providedId name } }";
const POSTGRAPHILE_PAGE = "after: $after, condition: { accountId: $account, environment: Customer }";

export const POSTGRAPHILE_DOCUMENTS: Documents = {
  one: `query One($account: Int!, $id: String!) {
    userGroup: userGroupByAccountIdAndEnvironmentAndProvidedId(accountId: $account, environment: Customer, providedId: $id) {
      teamId: rowId providedId name properties ${POSTGRAPHILE_MAPPING}
    }
  }`,
  list: `query List($account: Int!, $after: Cursor) {
    userGroups(first: ${LIST_SIZE}, ${POSTGRAPHILE_PAGE}) {
      nodes { teamId: rowId providedId name properties version } ${PAGE}
    }
  }`,
  tree: `query Tree($account: Int!, $after: Cursor) {
    userGroups(first: ${TREE_SIZE}, ${POSTGRAPHILE_PAGE}) {
      nodes { teamId: rowId providedId name ${POSTGRAPHILE_MAPPING} } ${PAGE}
    }
  }`,
};

export const UPSERT = `mutation Upsert($input: UpsertUserGroupsInput!) {
  upsertUserGroups(input: $input) {
    results { isNew userGroup { teamId providedId } userErrors { code } }
    userErrors { code message }
  }
}`;
