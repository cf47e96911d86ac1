import { EMBED_SESSION_PATH, KEY_SET_PATH } from "../../rest/embed-session-routes.js";
import { curlBlock } from "./curl.js";
import { errorResponses } from "./errors.js";
import { COMMON_HEADERS, headers, REQUEST_ID_PARAMETER } from "./headers.js";
import { operation } from "./user-operations.js";

const REQUEST = { user_group_id: "acme", expires_in: 900, variables: { region: "EU" } };
const KEY = { kty: "EC", crv: "P-256", x: "…", y: "…", kid: "…", alg: "ES256", use: "sig" };

/** OpenAPI path items of embed sessions. */
export const EMBED_SESSION_PATHS = {
  [EMBED_SESSION_PATH]: {
    parameters: [REQUEST_ID_PARAMETER],
    post: operation({
      operationId: "createEmbedSession",
      summary: "Create an embed session",
      description: [
        "Returns a short-lived token with which a front end can read one user group: over GraphQL as `Authorization: Bearer <token>`, or offline with the keys of `/.well-known/jwks.json`. Rotating the user group's token, deleting the user group or revoking the API key invalidates the session on this service. Requires an API key with embed scope. If no reply arrives, repeat the request.",
        curlBlock("POST", EMBED_SESSION_PATH, REQUEST),
      ].join("\n\n"),
      body: {
        schema: "EmbedSessionRequest",
        examples: {
          id: { summary: "By ID, with variables", value: REQUEST },
          token: { summary: "By token", value: { current_token: "ugt_…" } },
        },
      },
      reply: {
        schema: "EmbedSessionReply",
        description: "The embed session.",
        examples: {
          created: {
            summary: "Created",
            value: { success: 1, token: "eyJ…", expires_at: "2026-11-22T18:15:00.000Z" },
          },
        },
      },
      codes: ["user_group_not_found"],
    }),
  },
  [KEY_SET_PATH]: {
    get: {
      operationId: "getSigningKeys",
      tags: ["User groups"],
      summary: "Get the public keys of embed sessions",
      description:
        "The public keys that verify embed sessions, as a JSON Web Key Set. Contains the current key, a new key before it signs, and former keys while sessions that they signed can be valid.",
      security: [],
      responses: {
        "200": {
          description: "The key set.",
          headers: headers([...COMMON_HEADERS, "Access-Control-Allow-Origin"]),
          content: {
            "application/jwk-set+json": {
              schema: { $ref: "#/components/schemas/KeySet" },
              examples: { one: { summary: "One key", value: { keys: [KEY] } } },
            },
          },
        },
        ...errorResponses(["bad_request", "unavailable"], COMMON_HEADERS),
      },
    },
  },
} as const;
