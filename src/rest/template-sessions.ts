import { z } from "zod";
import { ENVIRONMENTS } from "../domain/accounts/environment.js";
import { requireEmbedSessions } from "../domain/accounts/scopes.js";
import { RATE_LIMIT_HEADERS, rateLimitHeaders } from "../domain/requests/rate-limit.js";
import { parseTemplateName, TEMPLATE_NAME } from "../domain/session-templates/template.js";
import { DomainError } from "../domain/shared/errors.js";
import { isAccountId } from "../domain/shared/internal-id.js";
import {
  EMBED_SESSION_OPERATIONS,
  EMBED_SESSION_PATH,
  EXAMPLE,
  keySetResponses,
  parseEmbedSession,
  sendKeySet,
} from "./embed-sessions.js";
import { refusePrecondition } from "./entity-tag.js";
import { COMPONENTS, field, parse, SUCCESS, text } from "./fields.js";
import { curlBlock, LIMITED_HEADERS } from "./openapi.js";
import type { RestPath } from "./operations.js";

const TEMPLATE = z.object({
  template: field(parseTemplateName, {}).meta({
    required: true,
    description: "The name of the session template.",
    schema: { type: "string", pattern: TEMPLATE_NAME.source },
    example: "metabase",
  }),
});

const { request, requestExamples } = EMBED_SESSION_OPERATIONS.post;
const REPLY = {
  success: 1,
  template: "metabase",
  token: "eyJ…",
  expires_at: "2026-11-22T18:15:00.000Z",
  url: "https://metabase.example.com/embed/dashboard/eyJ…",
};

/** The operation of `/api/embed-session/{template}` (decision 60). A path of its own: a former release answers 404, not with an embed session. */
const SESSION_OPERATIONS = {
  post: {
    operationId: "createTemplateSession",
    summary: "Create a session of a template",
    description: [
      "Returns a short-lived token that another tool verifies, with claims as the session template says. Fails if a value that the template refers to is missing or empty; `fields` has every such reference. Neither rotating the user group's token nor revoking the API key ends it: it expires. Requires an API key with embed scope. If no reply arrives, repeat the request.",
      curlBlock("POST", `${EMBED_SESSION_PATH}/metabase`, EXAMPLE),
    ],
    request,
    requestExamples,
    reply: z
      .object({
        success: SUCCESS,
        template: text("The name of the session template."),
        token: text("The token, a signed JWT. Keep it secret."),
        expires_at: text("The time at which the token expires: with the API key at the latest.").meta({
          format: "date-time",
        }),
        url: text("The address of the tool's frame with the token, if the template has one.").exactOptional(),
      })
      .register(COMPONENTS, { id: "TemplateSessionReply" }),
    replyDescription: "The session.",
    replyExamples: { created: [REPLY, "Created"] },
    codes: ["user_group_not_found", "session_template_not_found"],
    async handle({ services, caller, body, request: { headers, params } }) {
      const embedder = requireEmbedSessions(caller);
      refusePrecondition(headers);
      const { template: name } = parse(TEMPLATE, params);
      const { ref, request: options } = parseEmbedSession(body);
      const session = await services.templateSessions.create(embedder, ref, name, options);
      const { template, token, expiresAt, url } = session;
      return {
        success: 1,
        template,
        token,
        expires_at: expiresAt.toISOString(),
        ...(url !== null && { url }),
      };
    },
  },
} satisfies RestPath["operations"];

const OWNER = z.object({
  account: text("").meta({
    required: true,
    description: "The ID of the account.",
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
    example: "1",
  }),
  environment: z.enum(ENVIRONMENTS).meta({
    required: true,
    description: "The environment.",
    schema: { type: "string", enum: ENVIRONMENTS },
    example: "Customer",
  }),
});

/** The public keys of an environment's session templates; not among those of embed sessions (decision 60). */
const KEY_OPERATIONS = {
  get: {
    operationId: "getTemplateSigningKeys",
    summary: "Get the public keys of session templates",
    description: [
      "The public keys that verify the tokens of an environment's session templates with ES256, as a JSON Web Key Set. A new key is published 90 minutes before it signs.",
    ],
    access: "anyone",
    ignoresBody: true,
    headers: RATE_LIMIT_HEADERS,
    responses: keySetResponses(LIMITED_HEADERS),
    codes: ["not_found", "rate_limited", "unavailable"],
    async handle({ services, request: { params, ip: address }, reply }) {
      // Each ID of an account that somebody tries is a statement.
      const allowance = await services.rateLimits.spend({ kind: "address", address }, 1);
      if (allowance) reply.headers(rateLimitHeaders(allowance));
      const { account, environment } = parse(OWNER, params);
      const accountId = Number(account);
      const owner = isAccountId(accountId) ? { accountId, environment } : null;
      const keys = owner && (await services.templateKeys.of(owner).publicKeys());
      if (!keys || keys.keys.length === 0)
        throw new DomainError("not_found", "There are no keys at this path.");
      return sendKeySet(reply, keys);
    },
  },
} satisfies RestPath["operations"];

const TAG = "User groups";

export const TEMPLATE_SESSION_PATHS: readonly RestPath[] = [
  { path: `${EMBED_SESSION_PATH}/:template`, tag: TAG, params: TEMPLATE, operations: SESSION_OPERATIONS },
  { path: "/accounts/:account/:environment/jwks.json", tag: TAG, params: OWNER, operations: KEY_OPERATIONS },
];
