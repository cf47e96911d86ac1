import { componentSchemas } from "../../rest/fields.js";
import { describePaths, HEADERS, sharedResponses } from "../../rest/openapi.js";
import { REST_PATHS } from "../../rest/routes.js";
import { SERVICE_PATHS } from "./service-operations.js";

const DESCRIPTION = `
A *user group* represents one of your customers who views embedded dashboards. It has a name, an external ID (your ID of the customer),
a token that identifies it in dashboards, free-form properties that dashboards read as variables, and a mapping of schema IDs to data
sources.

All operations on one user group use one path, \`/api/user\`; \`/api/user-groups\` lists them. Paths may end with a slash. Every reply contains \`success\`: 1, or 0
together with an \`error\`. The error has a \`code\` for programs, a \`message\` for humans, the invalid \`field\` if there is one, and the
\`request_id\`, which also identifies the request in the log.

In addition to the listed errors, an unknown path returns 404 \`not_found\`, and an unsupported method returns 405
\`method_not_allowed\` with an \`Allow\` header. Unknown fields in a request body are ignored. If an object in it has
a key twice, the last one counts, in \`properties\`, too, whose text keeps both. New fields may be added to replies, so
clients must ignore fields that they do not know.

The GraphQL API at \`/graphql\` gives access to the same data, and to searches, data sources and change events.

To run the examples in a terminal, set \`BASE_URL\` to the URL of the service, such as \`http://127.0.0.1:4000\`, and \`KEY\` to an API key.
`.trim();

const AUTHORIZATION = `
\`Authorization: Token <API_KEY>\`: the word \`Token\`, a space, and an API key of your account. The key determines the environment,
\`Customer\` or \`Testing\`. Its scope determines the permitted operations: \`read\`, \`embed\`, \`write\` or \`admin\`.
`.trim();

/** Returns the OpenAPI 3.1 document of all HTTP endpoints except GraphQL (decision 42). @param version service version */
export function openApiDocument(version: string) {
  return {
    openapi: "3.1.1",
    info: {
      title: "User groups",
      version,
      summary: "User groups for embedded dashboards, and site configurations.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ ApiKey: [] }],
    tags: [
      {
        name: "User groups",
        description: "Get, create, update, delete and list user groups, and rotate their tokens.",
      },
      {
        name: "Site configurations",
        description: "Validate, store, read and delete settings files of documentation sites.",
      },
      { name: "Health", description: "Health checks for load balancers and orchestrators." },
      {
        name: "Descriptions",
        description: "Machine-readable descriptions of this API and of site configurations.",
      },
    ],
    paths: describePaths([...REST_PATHS, ...SERVICE_PATHS]),
    components: {
      securitySchemes: {
        ApiKey: { type: "apiKey", in: "header", name: "Authorization", description: AUTHORIZATION },
      },
      headers: HEADERS,
      responses: sharedResponses(),
      schemas: componentSchemas(),
    },
  };
}

/** Returns the document as served and as stored in `openapi.json`. */
export function printOpenApi(version: string): string {
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}
