import type { FastifyInstance } from "fastify";
import { requireEmbedSessions } from "../domain/accounts/scopes.js";
import {
  type EmbedSessionRequest,
  parseSessionLifetime,
  parseSessionVariables,
} from "../domain/authentication/embed-session.js";
import { KEY_SET_MAX_AGE_S } from "../domain/authentication/signing-key.js";
import { invalidField } from "../domain/shared/errors.js";
import { parseFields } from "../domain/shared/field-parsing.js";
import { parseText } from "../domain/shared/text-field.js";
import type { UserGroupRef } from "../domain/user-groups/user-group.js";
import type { Services } from "../services/services.js";
import { registerAuthenticatedRoutes } from "./authenticated-routes.js";
import { parseToken, type RequestBody } from "./request-parsing.js";

export const EMBED_SESSION_PATH = "/api/embed-session";
export const KEY_SET_PATH = "/.well-known/jwks.json";

/** Registers `POST /api/embed-session` and the public keys that verify embed sessions (decision 15a). */
export function registerEmbedSessionRoutes(app: FastifyInstance, services: Services): void {
  registerAuthenticatedRoutes(app, services, EMBED_SESSION_PATH, {
    async POST(caller, body) {
      const embedder = requireEmbedSessions(caller);
      const { ref, request } = parseEmbedSession(body);
      const { token, expiresAt } = await services.embedSessions.create(embedder, ref, request);
      return { success: 1, token, expires_at: expiresAt.toISOString() };
    },
  });
  app.get(KEY_SET_PATH, async (_request, reply) => {
    const keys = await services.signingKeys.publicKeys();
    reply
      .header("cache-control", `public, max-age=${KEY_SET_MAX_AGE_S}`)
      .header("access-control-allow-origin", "*")
      .type("application/jwk-set+json");
    return JSON.stringify(keys);
  });
}

/** @throws DomainError `invalid_field` */
export function parseEmbedSession({ members }: RequestBody): {
  readonly ref: UserGroupRef;
  readonly request: EmbedSessionRequest;
} {
  const { expires_in, variables } = members;
  const { ref, ...request } = parseFields<{ readonly ref: UserGroupRef } & EmbedSessionRequest>({
    ref: () => parseRef(members),
    expiresInSeconds: () => parseSessionLifetime(expires_in, ["expiresInSeconds"]),
    variables: () => parseSessionVariables(variables, ["variables"]),
  });
  return { ref, request };
}

function parseRef({ user_group_id, current_token }: RequestBody["members"]): UserGroupRef {
  if (current_token === undefined) {
    if (user_group_id === undefined) {
      throw invalidField(["providedId"], "is required, or `current_token` instead");
    }
    return { by: "providedId", providedId: parseText(user_group_id, ["providedId"]) };
  }
  if (user_group_id !== undefined) {
    throw invalidField(["currentToken"], "must not be sent together with `user_group_id`");
  }
  return { by: "token", token: parseToken(current_token, "is required") };
}
