import { graphql, useLazyLoadQuery, useSubscription } from "react-relay";

/** What the Relay compiler makes its artefacts from: the dashboard of a front end that holds a user group token. */
export function useOwnGroup() {
  useSubscription({
    subscription: graphql`
      subscription ownGroupSubscription {
        userGroupChanged { kind userGroup { ...ownGroup_group } }
      }
    `,
    variables: {},
  });
  return useLazyLoadQuery(
    graphql`
      query ownGroupQuery {
        viewer { userGroup { ...ownGroup_group } }
      }
    `,
    {},
  );
}

export const group = graphql`
  fragment ownGroup_group on UserGroup {
    providedId
    name
    properties
    mapping { schemaId dataSource { ...ownGroup_source } }
    ...ownGroup_node
  }
`;

export const source = graphql`
  fragment ownGroup_source on DataSource {
    providedId
  }
`;

export const node = graphql`
  fragment ownGroup_node on Node {
    id
  }
`;
