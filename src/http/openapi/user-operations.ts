import { STATUS_CODES } from "node:http";
import { REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { curlBlock } from "./curl.js";
import { errorResponses } from "./errors.js";
import {
  type HeaderName,
  headers,
  IDEMPOTENCY_KEY_PARAMETER,
  LIMITED_HEADERS,
  REQUEST_ID_PARAMETER,
} from "./headers.js";

const PATH = "/api/user";

/** Error codes of all four operations. */
const CODES: readonly RestErrorCode[] = [
  "bad_request",
  "invalid_json",
  "invalid_field",
  "unauthenticated",
  "forbidden",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
];

const ERROR_RESPONSES = Object.entries(errorResponses(CODES, LIMITED_HEADERS)).map(([status, response]) => ({
  status,
  name: (STATUS_CODES[status] ?? "").replaceAll(" ", ""),
  response,
}));

/** The shared error responses as OpenAPI components. */
export const USER_RESPONSES = Object.fromEntries(
  ERROR_RESPONSES.map(({ name, response }) => [name, response]),
);

const GROUP = { team_id: 1, token: "ugt_…", name: "Acme Inc.", provided_id: "acme" };
const PROPERTIES = { region: "EU", plan: "gold" };
const TAG = { api_environment_tag: "Customer" };
const NEW_GROUP = {
  user_group_id: "acme",
  name: "Acme Inc.",
  properties: PROPERTIES,
  mapping: { sales: "demo-sales" },
};
const CHANGE = { user_group_id: "acme", properties: { region: "US" } };
const TOKEN = { current_token: "ugt_…" };

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly body: { readonly schema: string; readonly examples: Readonly<Record<string, object>> };
  readonly reply: {
    readonly schema: string;
    readonly description: string;
    readonly headers?: readonly HeaderName[];
    readonly examples: Readonly<Record<string, object>>;
  };
  readonly codes: readonly RestErrorCode[];
}

/** OpenAPI path item of `/api/user`. */
export const USER_PATHS = {
  [PATH]: {
    parameters: [REQUEST_ID_PARAMETER],
    get: operation({
      operationId: "getOrCreateUserGroup",
      summary: "Get or create a user group",
      description: [
        "Returns the user group with this `user_group_id`, or creates it. An existing user group is returned unchanged, and the other fields are ignored; this requires an API key with embed scope, because the reply contains the token. Creating a user group requires a `name` and an API key with write scope. Concurrent requests create only one user group, and exactly one reply contains `new_user_group: true`.",
        "The parameters are sent in the request body. Browsers (`fetch`), Java's `HttpURLConnection` and some other clients cannot send a body with GET: use the GraphQL mutation `getOrCreateUserGroup` at `/graphql` instead. The API documentation in the browser cannot send the request either; use a terminal:",
        curlBlock("GET", PATH, NEW_GROUP),
      ].join("\n\n"),
      body: {
        schema: "GetOrCreateRequest",
        examples: {
          create: { summary: "Get or create", value: NEW_GROUP },
          get: { summary: "Get an existing user group", value: { user_group_id: "acme" } },
        },
      },
      reply: {
        schema: "GetOrCreateReply",
        description: "The existing or new user group.",
        examples: {
          created: {
            summary: "Created",
            value: { success: 1, new_user_group: true, user_group: { ...GROUP, properties: PROPERTIES } },
          },
          found: {
            summary: "Existing user group without properties",
            value: { success: 1, new_user_group: false, user_group: { ...GROUP, properties: null } },
          },
        },
      },
      codes: ["unknown_data_source"],
    }),
    put: operation({
      operationId: "updateUserGroup",
      summary: "Update a user group",
      description: [
        "Updates an existing user group. Omitted fields keep their values, an object replaces the entire current object, and `null` removes the `properties` or the `mapping`. Properties that equal the stored ones as JSON values are no change: the reply contains the stored text. Does not create a user group.",
        curlBlock("PUT", PATH, CHANGE),
      ].join("\n\n"),
      body: {
        schema: "UpdateRequest",
        examples: {
          change: { summary: "Replace the properties", value: CHANGE },
          clear: { summary: "Remove the mapping", value: { user_group_id: "acme", mapping: null } },
        },
      },
      reply: {
        schema: "UpdateReply",
        description: "The updated user group.",
        examples: {
          updated: {
            summary: "Updated",
            value: { success: 1, user_group: { ...GROUP, properties: { region: "US" }, ...TAG } },
          },
        },
      },
      codes: ["user_group_not_found", "unknown_data_source"],
    }),
    post: operation({
      operationId: "rotateUserGroupToken",
      summary: "Rotate a user group's token",
      description: [
        "Replaces the token of the user group with a new one. The old token is invalidated immediately, unless the service is configured with a grace period during which it can still read over GraphQL. If the same token is rotated twice concurrently, one request succeeds and the other returns 404. POST does not create user groups; `current_token` is required.",
        "Send an `Idempotency-Key` so that you can safely retry the request if no reply arrives.",
        curlBlock("POST", PATH, TOKEN, "Idempotency-Key: rotate acme 2026-11-21"),
      ].join("\n\n"),
      parameters: [IDEMPOTENCY_KEY_PARAMETER],
      body: { schema: "RotateRequest", examples: { rotate: { summary: "Rotate", value: TOKEN } } },
      reply: {
        schema: "RotateReply",
        description: "The user group with its new token.",
        headers: [REPLAYED_HEADER],
        examples: {
          rotated: { summary: "Rotated", value: { success: 1, user_group: { ...GROUP, ...TAG } } },
        },
      },
      codes: ["user_group_not_found", "idempotency_key_in_use", "idempotency_mismatch"],
    }),
    delete: operation({
      operationId: "deleteUserGroup",
      summary: "Delete a user group",
      description: [
        "Deletes the user group that `current_token` identifies. The other fields must match the user group, otherwise nothing is deleted. A repeated request returns 404, or the first reply if it has the same `Idempotency-Key`.",
        curlBlock("DELETE", PATH, { ...TOKEN, user_group_id: "acme" }),
      ].join("\n\n"),
      parameters: [IDEMPOTENCY_KEY_PARAMETER],
      body: {
        schema: "DeleteRequest",
        examples: {
          checked: { summary: "By token and ID", value: { ...TOKEN, user_group_id: "acme" } },
          token: { summary: "By token", value: TOKEN },
        },
      },
      reply: {
        schema: "DeleteReply",
        headers: [REPLAYED_HEADER],
        description: "The user group was deleted.",
        examples: { deleted: { summary: "Deleted", value: { success: 1 } } },
      },
      codes: [
        "user_group_not_found",
        "user_group_mismatch",
        "idempotency_key_in_use",
        "idempotency_mismatch",
      ],
    }),
  },
} as const;

/** Returns an operation with the error responses that all operations with an API key share. */
export function operation({ body, reply, codes, ...documented }: Operation) {
  return {
    tags: ["User groups"],
    ...documented,
    requestBody: { required: true, content: content(body) },
    responses: {
      "200": {
        description: reply.description,
        headers: headers([...LIMITED_HEADERS, ...(reply.headers ?? [])]),
        content: content(reply),
      },
      ...Object.fromEntries(
        ERROR_RESPONSES.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
      ...errorResponses(codes, LIMITED_HEADERS),
    },
  };
}

function content({ schema, examples }: { readonly schema: string; readonly examples: object }) {
  return { "application/json": { schema: { $ref: `#/components/schemas/${schema}` }, examples } };
}
