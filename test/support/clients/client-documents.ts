/** Documents for the tests of clients with a cache. */
export const READ = `query ($by: UserGroupBy!) { userGroup(by: $by) { id name version properties } }`;
export const RENAME = `mutation ($input: UpdateUserGroupInput!) {
  updateUserGroup(input: $input) { userGroup { id name version } userErrors { code message field } }
}`;
export const PAGE = `query ($first: Int!, $after: String, $filter: UserGroupFilter) {
  userGroups(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id providedId } }
    pageInfo { hasNextPage endCursor }
  }
}`;
export const WATCH = `subscription ($by: UserGroupBy!) {
  userGroupChanged(by: $by) { kind userGroup { id name } }
}`;
