/** An example operation with its variables as JSON. */
export interface Example {
  readonly query: string;
  readonly variables: string;
}

const GET_OR_CREATE = `# Creates the group, or returns it as it is.
mutation GetOrCreate(
  $id: String!, $mapping: [MappingInput!]
) {
  getOrCreateUserGroup(
    input: {
      providedId: $id
      name: "Acme Inc."
      properties: { color: "#0b6e4f", currency: "EUR" }
      mapping: $mapping
    }
  ) {
    isNew
    userGroup {
      name
      token
    }
    userErrors {
      message
    }
  }
}
`;

const LIST = `# For the next page, pass endCursor as after.
query List($first: Int!, $after: String) {
  userGroups(first: $first, after: $after) {
    totalCount
    nodes {
      providedId
      name
      mapping {
        schemaId
        dataSource {
          name
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`;

const ROTATE = `# Replace <TOKEN> in the variables with the group's token.
mutation Rotate($token: String!) {
  rotateUserGroupToken(
    input: { by: { token: $token } }
  ) {
    userGroup {
      token
    }
    userErrors {
      message
    }
  }
}
`;

const WATCH = `# Change the group in another window.
subscription Watch($by: UserGroupBy!) {
  userGroupChanged(by: $by) {
    kind
    userGroup {
      name
      version
      mapping {
        schemaId
      }
    }
  }
}
`;

const CHECK = `# Each finding has its line and column.
query Check($text: String!) {
  validateSiteConfig(source: { text: $text }) {
    isValid
    errors {
      line
      column
      message
    }
    warnings {
      line
      column
      message
    }
  }
}
`;

const PUBLISH = `# Each run creates a revision.
mutation Publish($document: JSON!) {
  putSiteConfig(
    input: { site: "docs", source: { document: $document } }
  ) {
    siteConfig {
      revision
      settings {
        colors {
          primary
        }
        navigation {
          group
          pages {
            ... on SitePage {
              path
            }
          }
        }
      }
    }
    userErrors {
      message
    }
  }
}
`;

const SITE = {
  name: "Docs",
  favicon: "/favicon.svg",
  colors: { primary: "#0a7" },
  navigation: [{ group: "Start", pages: ["intro"] }],
};

/** A site configuration with an unknown property and a missing one. */
const SITE_CONFIG = '{\n  "name": "Docs",\n  "colour": "#0a7",\n  "navigation": [{ "group": "Start" }]\n}';

/**
 * Returns the initial operations of the playground, one per tab.
 * @param dataSource external ID of a data source for the example mapping; undefined for none
 */
export function exampleOperations(dataSource: string | undefined): readonly Example[] {
  const mapping =
    dataSource === undefined ? "[]" : `[\n    { "schemaId": "sales", "dataSource": "${dataSource}" }\n  ]`;
  return [
    { query: LIST, variables: '{\n  "first": 10,\n  "after": null\n}' },
    { query: GET_OR_CREATE, variables: `{\n  "id": "acme",\n  "mapping": ${mapping}\n}` },
    { query: ROTATE, variables: '{\n  "token": "<TOKEN>"\n}' },
    { query: CHECK, variables: JSON.stringify({ text: SITE_CONFIG }, null, 2) },
    { query: PUBLISH, variables: JSON.stringify({ document: SITE }, null, 2) },
    { query: WATCH, variables: '{\n  "by": { "providedId": "acme" }\n}' },
  ];
}
