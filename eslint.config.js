import graphql from "@graphql-eslint/eslint-plugin";

/** The typed view of a site configuration: parts of a document. */
const settings = [
  ...["SiteAnchor", "SiteApi", "SiteApiAuth", "SiteApiPlayground", "SiteColorPair", "SiteColors"],
  ...["SiteCtaButton", "SiteFeedback", "SiteGradient", "SiteLink", "SiteLogoImage", "SiteLogoImages"],
  ...["SiteModeToggle", "SiteNavigationGroup", "SitePage", "SiteSettings", "SiteSocials", "SiteSolidColor"],
  ...["SiteTab", "SiteTopAnchor"],
];

// TypeScript is Biome's; ESLint looks at the schema only.
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
      // DataSource.dataSourceId is a fixed name: the internal id, beside the global one.
      "@graphql-eslint/no-typename-prefix": "off",
      // Relay wants it of connections only; mappings, errors and the nodes of a page are plain lists, as fixed.
      "@graphql-eslint/relay-edge-types": ["error", { listTypeCanWrapOnlyEdgeType: false }],
      // What has an id is a Node; these are values or belong to the reply.
      "@graphql-eslint/strict-id-in-types": [
        "error",
        {
          exceptions: {
            suffixes: ["Connection", "Edge", "Finding", "Payload", "Report", "Result"],
            types: [
              "MappingEntry",
              "PageInfo",
              "UserError",
              "UserGroupChange",
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
