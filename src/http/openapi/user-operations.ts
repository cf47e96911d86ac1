import { STATUS_CODES } from "node:http";
import { REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { curlBlock } from "./curl.js";
import { type DocumentedCode, errorResponses } from "./errors.js";
import {
  type HeaderName,
  headers,
  IDEMPOTENCY_KEY_PARAMETER,
  LIMITED_HEADERS,
  REQUEST_ID_PARAMETER,
} from "./headers.js";

const PATH = "/api/user";

/** Error codes of all four operations. */
const CODES: readonly DocumentedCode[] = [
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

interface Operation {
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
  readonly codes: readonly DocumentedCode[];
}

/** OpenAPI path item of `/api/user`. */
export const USER_PATHS = {
  [PATH]: {
    parameters: [REQUEST_ID_PARAMETER],
    get: operation({
      operationId: "getOrCreateUserGroup",
      summary: "Get or create a user group",
      description: [
        "Returns the user group with this `user_group_id`, or creates it. One that exists is returned unchanged and needs no other field, whatever else the body says; to create one takes a `name`, and an API key with write scope. Getting one takes an API key with embed scope, because the reply contains the token. Calls at the same time create one group, and exactly one of them is told `new_user_group: true`.",
        "The parameters are in the body, although this is GET. Browsers (`fetch`), Java's `HttpURLConnection` and some other clients cannot send that: they use the GraphQL mutation `getOrCreateUserGroup` at `/graphql`. This page cannot send it either; a terminal can:",
        curlBlock("GET", PATH, NEW_GROUP),
      ].join("\n\n"),
      body: {
        schema: "GetOrCreateRequest",
        examples: {
          create: { summary: "Create, or get", value: NEW_GROUP },
          get: { summary: "Get one that exists", value: { user_group_id: "acme" } },
        },
      },
      reply: {
        schema: "GetOrCreateReply",
        description: "The user group, new or not.",
        examples: {
          created: {
            summary: "Created",
            value: { success: 1, new_user_group: true, user_group: { ...GROUP, properties: PROPERTIES } },
          },
          found: {
            summary: "It existed, without properties",
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
        "Changes the fields that are given, and no others: an absent field stays as it is, an object replaces the whole object, and `null` clears `properties` or `mapping`. It never creates.",
        curlBlock("PUT", PATH, CHANGE),
      ].join("\n\n"),
      body: {
        schema: "UpdateRequest",
        examples: {
          change: { summary: "Replace the properties", value: CHANGE },
          clear: { summary: "Clear the mapping", value: { user_group_id: "acme", mapping: null } },
        },
      },
      reply: {
        schema: "UpdateReply",
        description: "The user group as it is now.",
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
        "Gives the user group a new token in place of the one that is sent, which ends at once (unless the service is set to let it read over GraphQL for a while). Of two rotations of one token at the same time one succeeds, and the other gets 404. Without `current_token` nothing happens: POST never creates.",
        "With an `Idempotency-Key` the request may be repeated when no reply arrived.",
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
        "Deletes the user group whose token is sent. What is given beside the token must agree with the group, or nothing is deleted. A repetition gets 404.",
        curlBlock("DELETE", PATH, { ...TOKEN, user_group_id: "acme" }),
      ].join("\n\n"),
      body: {
        schema: "DeleteRequest",
        examples: {
          checked: { summary: "By token and id", value: { ...TOKEN, user_group_id: "acme" } },
          token: { summary: "By token", value: TOKEN },
        },
      },
      reply: {
        schema: "DeleteReply",
        description: "The user group is deleted.",
        examples: { deleted: { summary: "Deleted", value: { success: 1 } } },
      },
      codes: ["user_group_not_found", "user_group_mismatch"],
    }),
  },
} as const;

function operation({ body, reply, codes, ...documented }: Operation) {
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
