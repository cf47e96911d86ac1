import graphql from "@graphql-eslint/eslint-plugin";

/** The typed view of a site configuration: parts of a document. */
const settings = [
  ...["SiteAnchor", "SiteApi", "SiteApiAuth", "SiteApiPlayground", "SiteColorPair", "SiteColors"],
  ...["SiteCtaButton", "SiteFeedback", "SiteGradient", "SiteLink", "SiteLogoImage", "SiteLogoImages"],
  ...["SiteModeToggle", "SiteNavigationGroup", "SitePage", "SiteSettings", "SiteSocials", "SiteSolidColor"],
  ...["SiteTab", "SiteTopAnchor"],
];

const described = ["DirectiveDefinition", "EnumValueDefinition", "FieldDefinition", "InputValueDefinition"];

/** Rules beyond the recommended sets. */
const strict = {
  "@graphql-eslint/input-name": ["error", { checkInputType: true, caseSensitiveInputType: false }],
  "@graphql-eslint/no-scalar-result-type-on-mutation": "error",
  "@graphql-eslint/require-description": [
    "error",
    { types: true, rootField: true, ...Object.fromEntries(described.map((kind) => [kind, true])) },
  ],
  "@graphql-eslint/require-nullable-fields-with-oneof": "error",
};

// Biome checks TypeScript; ESLint checks the schema only. DataSource.dataSourceId, the internal ID beside the global one, is in
// eslint-suppressions.json: the only name that may begin with its type's. So are the edges of UserGroupVersion and BulkChange, which
// have no global ID.
export default [
  {
    files: ["schema.graphql"],
    plugins: { "@graphql-eslint": graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: "schema.graphql" } },
    },
    rules: {
      ...graphql.configs["flat/schema-recommended"].rules,
      ...graphql.configs["flat/schema-relay"].rules,
      ...strict,
      // Relay requires it of connections only; mappings, user errors and the nodes of a page are plain lists.
      "@graphql-eslint/relay-edge-types": ["error", { listTypeCanWrapOnlyEdgeType: false }],
      // Types with an ID are Nodes; these are values, or belong to the reply.
      "@graphql-eslint/strict-id-in-types": [
        "error",
        {
          exceptions: {
            suffixes: ["Connection", "Edge", "Finding", "Payload", "Report", "Result"],
            types: [
              "AuditDay",
              "EmbedSession",
              "EmbedSessionDay",
              "MappingEntry",
              "PageInfo",
              "SessionClaims",
              "SessionTemplateCheck",
              "UsageDay",
              "UserError",
              "UserGroupChange",
              "UserGroupVersion",
              "Viewer",
              "WebhookEndpointHealth",
              ...settings,
            ],
          },
        },
      ],
    },
  },
];
