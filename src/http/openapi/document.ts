import { ERROR_SCHEMA } from "../../rest/error-schema.js";
import { USER_REPLY_SCHEMAS } from "../../rest/reply-schema.js";
import {
  DELETION_SCHEMA,
  GET_OR_CREATE_SCHEMA,
  ROTATION_SCHEMA,
  UPDATE_SCHEMA,
} from "../../rest/request-schemas.js";
import { HEADERS } from "./headers.js";
import { HEALTH_SCHEMA, SERVICE_PATHS } from "./service-operations.js";
import { SITE_CONFIG_PATHS } from "./site-config-operations.js";
import { USER_PATHS, USER_RESPONSES } from "./user-operations.js";

const DESCRIPTION = `
A *user group* is one of your customers who looks at embedded dashboards: it has a name, your own id, a token (which tells a
dashboard who is looking at it), free-form properties (variables in dashboards) and a mapping from schema ids to data sources.

All calls go to one path, \`/api/user\`; a slash at its end makes no difference. Every reply has \`success\`: 1, or 0 with an
\`error\`. Its \`code\` is for programs, \`message\` for people; \`field\` names what is at fault, and \`request_id\` the request in
the log.

Beside what the operations list, a path that does not exist gets 404 \`not_found\`, and another method 405
\`method_not_allowed\` with an \`Allow\` header. Unknown fields of a body are ignored, and replies may get further fields: clients
ignore what they do not know.

The same data, lists and changes as they happen are at \`/graphql\`.

The calls below are for a terminal in which \`BASE_URL\` holds the address of the service, such as \`http://127.0.0.1:4000\`, and
\`KEY\` an API key.
`.trim();

const AUTHORIZATION = `
\`Authorization: Token <API_KEY>\`: the word \`Token\`, a space, and an API key of your account. The key decides the environment,
\`Customer\` or \`Testing\`, and its scope what it may do: \`read\`, \`embed\`, \`write\` or \`admin\`.
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
    servers: [{ url: "/", description: "The service that this document comes from." }],
    security: [{ ApiKey: [] }],
    tags: [
      { name: "User groups", description: "Get or create, update, rotate the token, delete." },
      {
        name: "Site configurations",
        description: "Settings files of documentation sites, as they are stored.",
      },
      { name: "Health", description: "For balancers and supervisors." },
      { name: "Descriptions", description: "Of this API and of site configurations, for programs." },
    ],
    paths: { ...USER_PATHS, ...SITE_CONFIG_PATHS, ...SERVICE_PATHS },
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
