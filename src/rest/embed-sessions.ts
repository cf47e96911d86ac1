import type { FastifyReply } from "fastify";
import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { requireEmbedSessions } from "../domain/accounts/scopes.js";
import {
  DEFAULT_SESSION_SECONDS,
  type EmbedSessionRequest,
  MAX_SESSION_SECONDS,
  MAX_VARIABLES_BYTES,
  MAX_VARIABLES_DEPTH,
  MIN_SESSION_SECONDS,
  parseSessionLifetime,
  parseSessionVariables,
} from "../domain/authentication/embed-session.js";
import { KEY_SET_MAX_AGE_S } from "../domain/authentication/signing-key.js";
import { invalidField } from "../domain/shared/errors.js";
import { parseFields } from "../domain/shared/field-parsing.js";
import { parseText } from "../domain/shared/text-field.js";
import type { UserGroupRef } from "../domain/user-groups/user-group.js";
import { refusePrecondition } from "./entity-tag.js";
import {
  COMPONENTS,
  CURRENT_TOKEN,
  field,
  JSON_LIMITS,
  nearFieldHint,
  parse,
  parseToken,
  SUCCESS,
  text,
  USER_GROUP_ID,
} from "./fields.js";
import { COMMON_HEADERS, curlBlock, jsonContent, type LIMITED_HEADERS, response } from "./openapi.js";
import type { Operation, RestRequest } from "./operations.js";

export const EMBED_SESSION_PATH = "/api/embed-session";
export const KEY_SET_PATH = "/.well-known/jwks.json";

const OPTIONS = z.object({
  expires_in: field(parseSessionLifetime, {
    description: `The lifetime in seconds. Default: ${DEFAULT_SESSION_SECONDS}.`,
    type: ["integer", "null"],
    minimum: MIN_SESSION_SECONDS,
    maximum: MAX_SESSION_SECONDS,
    examples: [DEFAULT_SESSION_SECONDS],
  }).exactOptional(),
  variables: field(parseSessionVariables, {
    description: `Variables for this session, at most ${MAX_VARIABLES_BYTES} bytes of JSON text and ${MAX_VARIABLES_DEPTH} levels including the object itself. The holder of the token can read them.`,
    type: ["object", "null"],
    additionalProperties: true,
    [JSON_LIMITS]: { maxBytes: MAX_VARIABLES_BYTES, maxDepth: MAX_VARIABLES_DEPTH },
    examples: [{ region: "EU" }],
  }).exactOptional(),
});

/** RFC 7517. */
const KEY = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  kid: text("The key ID, as in the header of the token."),
  alg: z.literal("ES256"),
  use: z.literal("sig"),
});
const KEY_SET = z.object({ keys: z.array(KEY).min(1) }).register(COMPONENTS, { id: "KeySet" });

export const EXAMPLE = { user_group_id: "acme", expires_in: 900, variables: { region: "EU" } };

/** The operation of `/api/embed-session` (decision 15a). */
export const EMBED_SESSION_OPERATIONS = {
  post: {
    operationId: "createEmbedSession",
    summary: "Create an embed session",
    description: [
      "Returns a short-lived token with which a front end can read one user group: over GraphQL as `Authorization: Bearer <token>`, or offline with the keys of `/.well-known/jwks.json`. Rotating the user group's token, deleting the user group or revoking the API key invalidates the session on this service. Requires an API key with embed scope. If no reply arrives, repeat the request.",
      curlBlock("POST", EMBED_SESSION_PATH, EXAMPLE),
    ],
    request: z
      .object({
        user_group_id: field(parseText, USER_GROUP_ID).exactOptional(),
        current_token: field(parseToken, CURRENT_TOKEN).exactOptional(),
        ...OPTIONS.shape,
      })
      .meta({
        description: "The user group, by exactly one of `user_group_id` and `current_token`.",
        oneOf: [{ required: ["user_group_id"] }, { required: ["current_token"] }],
      })
      .register(COMPONENTS, { id: "EmbedSessionRequest" }),
    requestExamples: {
      id: [EXAMPLE, "By ID, with variables"],
      token: [{ current_token: "ugt_…" }, "By token"],
    },
    reply: z
      .object({
        success: SUCCESS,
        token: text("The embed session, a signed JWT. Keep it secret.").meta({ examples: ["eyJ…"] }),
        expires_at: text("The time at which the session expires: with the API key at the latest.").meta({
          format: "date-time",
          examples: ["2026-11-22T18:15:00.000Z"],
        }),
      })
      .register(COMPONENTS, { id: "EmbedSessionReply" }),
    replyDescription: "The embed session.",
    replyExamples: {
      created: [{ success: 1, token: "eyJ…", expires_at: "2026-11-22T18:15:00.000Z" }, "Created"],
    },
    codes: ["user_group_not_found"],
    async handle({ services, caller, body, request: { headers } }) {
      const embedder = requireEmbedSessions(caller);
      refusePrecondition(headers);
      const { ref, request } = parseEmbedSession(body);
      const { expiresInSeconds = DEFAULT_SESSION_SECONDS, variables } = request;
      const options = { expiresInSeconds, variables };
      const { token, expiresAt } = await services.embedSessions.create(embedder, ref, options);
      return { success: 1, token, expires_at: expiresAt.toISOString() };
    },
  },
} satisfies Readonly<Record<string, Operation>>;

const EXAMPLE_KEY = { kty: "EC", crv: "P-256", x: "…", y: "…", kid: "…", alg: "ES256", use: "sig" };

/** Documents the reply with public keys. @param headers of the reply besides that for pages */
export function keySetResponses(headers: typeof COMMON_HEADERS | typeof LIMITED_HEADERS) {
  const content = jsonContent(
    KEY_SET,
    { one: [{ keys: [EXAMPLE_KEY] }, "One key"] },
    "application/jwk-set+json",
  );
  return { "200": response("The key set.", [...headers, "Access-Control-Allow-Origin"], content) };
}

/** Returns the body of a reply with public keys, and sets its headers: anyone may keep it for a while. */
export function sendKeySet(reply: FastifyReply, keys: JSONWebKeySet): string {
  reply
    .header("cache-control", `public, max-age=${KEY_SET_MAX_AGE_S}`)
    .header("access-control-allow-origin", "*")
    .type("application/jwk-set+json");
  return JSON.stringify(keys);
}

/** The public keys that verify embed sessions. */
export const KEY_SET_OPERATIONS = {
  get: {
    operationId: "getSigningKeys",
    summary: "Get the public keys of embed sessions",
    description: [
      "The public keys that verify embed sessions, as a JSON Web Key Set. Contains the current key, a new key before it signs, and former keys while sessions that they signed can be valid.",
    ],
    access: "anyone",
    ignoresBody: true,
    responses: keySetResponses(COMMON_HEADERS),
    codes: ["unavailable"],
    async handle({ services, reply }) {
      return sendKeySet(reply, await services.signingKeys.publicKeys());
    },
  },
} satisfies Readonly<Record<string, Operation>>;

/** @throws DomainError `invalid_field` */
export function parseEmbedSession(body: RestRequest["body"]): {
  readonly ref: UserGroupRef;
  /** Without `expiresInSeconds` if it was not sent. */
  readonly request: Pick<EmbedSessionRequest, "variables"> & {
    readonly expiresInSeconds: number | undefined;
  };
} {
  const { ref, options } = parseFields<{ ref: UserGroupRef; options: z.infer<typeof OPTIONS> }>({
    ref: () => parseRef(body),
    options: () => parse(OPTIONS, body),
  });
  const { expires_in: expiresInSeconds, variables = {} } = options;
  return { ref, request: { expiresInSeconds, variables } };
}

function parseRef(body: RestRequest["body"]): UserGroupRef {
  const { user_group_id, current_token } = body;
  if (current_token === undefined) {
    const field = ["user_group_id"];
    if (user_group_id === undefined) {
      const hint = nearFieldHint(
        "user_group_id",
        body,
        Object.keys(EMBED_SESSION_OPERATIONS.post.request.shape),
      );
      throw invalidField(field, `is required, or \`current_token\` instead${hint}`);
    }
    return { by: "providedId", providedId: parseText(user_group_id, field) };
  }
  const field = ["current_token"];
  if (user_group_id !== undefined)
    throw invalidField(field, "must not be sent together with `user_group_id`");
  return { by: "token", token: parseToken(current_token, field) };
}
