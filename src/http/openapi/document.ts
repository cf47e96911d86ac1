import {
  EMBED_SESSION_REPLY_SCHEMA,
  EMBED_SESSION_SCHEMA,
  KEY_SET_SCHEMA,
} from "../../rest/openapi-embed-sessions.js";
import { ERROR_SCHEMA } from "../../rest/openapi-errors.js";
import { USER_REPLY_SCHEMAS } from "../../rest/openapi-replies.js";
import {
  DELETION_SCHEMA,
  GET_OR_CREATE_SCHEMA,
  ROTATION_SCHEMA,
  UPDATE_SCHEMA,
} from "../../rest/openapi-requests.js";
import { EMBED_SESSION_PATHS } from "./embed-session-operations.js";
import { HEADERS } from "./headers.js";
import { HEALTH_SCHEMA, SERVICE_PATHS } from "./service-operations.js";
import { SITE_CONFIG_SCHEMAS } from "./site-config-change-operations.js";
import { SITE_CONFIG_PATHS } from "./site-config-operations.js";
import { USER_PATHS, USER_RESPONSES } from "./user-operations.js";

const DESCRIPTION = `
A *user group* represents one of your customers who views embedded dashboards. It has a name, an external ID (your ID of the customer),
a token that identifies it in dashboards, free-form properties that dashboards read as variables, and a mapping of schema IDs to data
sources.

All operations on user groups themselves use one path, \`/api/user\`, with or without a trailing slash. Every reply contains \`success\`: 1, or 0
together with an \`error\`. The error has a \`code\` for programs, a \`message\` for humans, the invalid \`field\` if there is one, and the
\`request_id\`, which also identifies the request in the log.

In addition to the listed errors, an unknown path returns 404 \`not_found\`, and an unsupported method returns 405
\`method_not_allowed\` with an \`Allow\` header. Unknown fields in a request body are ignored. New fields may be added to replies, so
clients must ignore fields that they do not know.

The GraphQL API at \`/graphql\` gives access to the same data, and to lists, data sources and change events.

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
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: [{ ApiKey: [] }],
    tags: [
      {
        name: "User groups",
        description: "Get, create, update and delete user groups, and rotate their tokens.",
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
    paths: { ...USER_PATHS, ...EMBED_SESSION_PATHS, ...SITE_CONFIG_PATHS, ...SERVICE_PATHS },
    components: {
      securitySchemes: {
        ApiKey: { type: "apiKey", in: "header", name: "Authorization", description: AUTHORIZATION },
      },
      headers: HEADERS,
      responses: USER_RESPONSES,
      schemas: {
        GetOrCreateRequest: GET_OR_CREATE_SCHEMA,
        GetOrCreateReply: USER_REPLY_SCHEMAS.GET,
        UpdateRequest: UPDATE_SCHEMA,
        UpdateReply: USER_REPLY_SCHEMAS.PUT,
        RotateRequest: ROTATION_SCHEMA,
        RotateReply: USER_REPLY_SCHEMAS.POST,
        DeleteRequest: DELETION_SCHEMA,
        DeleteReply: USER_REPLY_SCHEMAS.DELETE,
        EmbedSessionRequest: EMBED_SESSION_SCHEMA,
        EmbedSessionReply: EMBED_SESSION_REPLY_SCHEMA,
        KeySet: KEY_SET_SCHEMA,
        ...SITE_CONFIG_SCHEMAS,
        Error: ERROR_SCHEMA,
        Health: HEALTH_SCHEMA,
      },
    },
  };
}

/** Returns the document as served and as stored in `openapi.json`. */
export function printOpenApi(version: string): string {
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}
