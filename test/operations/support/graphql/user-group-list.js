import { graphql, useMutation, usePaginationFragment, useSubscription } from "react-relay";

/** What the Relay compiler makes its artefacts from: a list that loads more, and changes to what it shows. */
export function useUserGroupList(query, by) {
  const [rename] = useMutation(graphql`
    mutation userGroupListRenameMutation($input: UpdateUserGroupInput!) {
      updateUserGroup(input: $input) {
        userGroup { ...userGroupList_item }
        userErrors { code message field }
      }
    }
  `);
  const [remove] = useMutation(graphql`
    mutation userGroupListDeleteMutation($input: DeleteUserGroupInput!, $connections: [ID!]!) {
      deleteUserGroup(input: $input) {
        deletedUserGroupId @deleteEdge(connections: $connections)
        userErrors { code message field }
      }
    }
  `);
  useSubscription({
    subscription: graphql`
      subscription userGroupListSubscription($by: UserGroupBy!) {
        userGroupChanged(by: $by) { kind userGroup { ...userGroupList_item } }
      }
    `,
    variables: { by },
  });
  const list = usePaginationFragment(
    graphql`
      fragment userGroupList_query on Query
      @refetchable(queryName: "userGroupListPaginationQuery")
      @argumentDefinitions(
        first: { type: "Int", defaultValue: 20 }
        after: { type: "String" }
        filter: { type: "UserGroupFilter" }
      ) {
        userGroups(first: $first, after: $after, filter: $filter)
          @connection(key: "userGroupList_userGroups", filters: ["filter"]) {
          edges { node { ...userGroupList_item } }
        }
      }
    `,
    query,
  );
  return { ...list, rename, remove };
}

/** One of the list, which Relay can load again by its id. */
export const item = graphql`
  fragment userGroupList_item on UserGroup @refetchable(queryName: "userGroupListItemQuery") {
    id
    name
    mapping { schemaId dataSource { id name } }
  }
`;
