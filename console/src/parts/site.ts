/** The pages of the service that the header links. Paths are relative to the service's root, which may be below a path prefix of a proxy. */
export const LINKS = [
  { page: "console", path: "console/", label: "Console" },
  { page: "playground", path: "graphql", label: "GraphQL" },
  { page: "api-docs", path: "api/docs", label: "REST API" },
  { page: "docs", path: "docs/", label: "Documentation" },
] as const;

/** The key of the selected theme in the browser's storage, for all pages and the documentation. */
export const THEME_KEY = "user-groups:theme";
