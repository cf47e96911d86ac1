import {
  DEFAULT_SESSION_SECONDS,
  MAX_SESSION_SECONDS,
  MAX_VARIABLES_BYTES,
  MAX_VARIABLES_DEPTH,
  MIN_SESSION_SECONDS,
} from "../domain/authentication/embed-session.js";
import { SUCCESS } from "./openapi-replies.js";
import { CURRENT_TOKEN, JSON_LIMITS, USER_GROUP_ID } from "./openapi-requests.js";

/** Request body of `POST /api/embed-session`, for the OpenAPI document. */
export const EMBED_SESSION_SCHEMA = {
  description: "The user group, by exactly one of `user_group_id` and `current_token`.",
  type: "object",
  properties: {
    user_group_id: USER_GROUP_ID,
    current_token: CURRENT_TOKEN,
    expires_in: {
      description: `The lifetime in seconds. Default: ${DEFAULT_SESSION_SECONDS}.`,
      type: ["integer", "null"],
      minimum: MIN_SESSION_SECONDS,
      maximum: MAX_SESSION_SECONDS,
      examples: [DEFAULT_SESSION_SECONDS],
    },
    variables: {
      description: `Variables for this session, at most ${MAX_VARIABLES_BYTES} bytes of JSON text and ${MAX_VARIABLES_DEPTH} levels including the object itself. The holder of the token can read them.`,
      type: ["object", "null"],
      additionalProperties: true,
      [JSON_LIMITS]: { maxBytes: MAX_VARIABLES_BYTES, maxDepth: MAX_VARIABLES_DEPTH },
      examples: [{ region: "EU" }],
    },
  },
  oneOf: [{ required: ["user_group_id"] }, { required: ["current_token"] }],
} as const;

/** Reply of `POST /api/embed-session`. */
export const EMBED_SESSION_REPLY_SCHEMA = {
  type: "object",
  required: ["success", "token", "expires_at"],
  properties: {
    ...SUCCESS,
    token: {
      type: "string",
      description: "The embed session, a signed JWT. Keep it secret.",
      examples: ["eyJ…"],
    },
    expires_at: {
      type: "string",
      format: "date-time",
      description: "The time at which the session expires: with the API key at the latest.",
      examples: ["2026-11-22T18:15:00.000Z"],
    },
  },
} as const;

/** Reply of `GET /.well-known/jwks.json` (RFC 7517). */
export const KEY_SET_SCHEMA = {
  type: "object",
  required: ["keys"],
  properties: {
    keys: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["kty", "crv", "x", "y", "kid", "alg", "use"],
        properties: {
          kty: { type: "string", const: "EC" },
          crv: { type: "string", const: "P-256" },
          x: { type: "string" },
          y: { type: "string" },
          kid: { type: "string", description: "The key ID, as in the header of the token." },
          alg: { type: "string", const: "ES256" },
          use: { type: "string", const: "sig" },
        },
      },
    },
  },
} as const;
