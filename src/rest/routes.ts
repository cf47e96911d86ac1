import type { FastifyInstance, FastifyReply } from "fastify";
import type { Writer } from "../domain/accounts/caller.js";
import { requireEmbed, requireWrite } from "../domain/accounts/scopes.js";
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../domain/requests/idempotency-key.js";
import type { Services } from "../services/services.js";
import { type Handler, registerAuthenticatedRoutes } from "./authenticated-routes.js";
import { registerEmbedSessionRoutes } from "./embed-session-routes.js";
import {
  parseDeletion,
  parseNewUserGroup,
  parseProvidedId,
  parseRotation,
  parseUpdate,
} from "./request-parsing.js";
import { deleteView, postView, writeGetReply, writePutReply } from "./views.js";

const PATH = "/api/user";
const JSON_TYPE = "application/json; charset=utf-8";

/** Registers the REST API. The app must accept GET requests with a body. */
export function registerRestRoutes(app: FastifyInstance, services: Services): void {
  registerUserRoutes(app, services);
  registerEmbedSessionRoutes(app, services);
}

interface KeyedRequest {
  readonly writer: Writer;
  /** Undefined if the request has no Idempotency-Key. */
  readonly key: string | undefined;
  readonly content: readonly unknown[];
  readonly reply: FastifyReply;
}

/** Registers the four methods of `/api/user` (interface, part 4). */
function registerUserRoutes(app: FastifyInstance, services: Services): void {
  const { idempotency, userGroups, userGroupReader } = services;

  /** Applies a request at most once if it has an idempotency key (decision 39). */
  const once = async (
    { writer, key, content, reply }: KeyedRequest,
    apply: (writer: Writer) => Promise<object>,
  ): Promise<unknown> => {
    if (key === undefined) return apply(writer);
    const outcome = await idempotency.once(writer, { key, content }, apply);
    if (outcome.replayed) reply.header(REPLAYED_HEADER, "true");
    return outcome.reply;
  };

  const handlers: Readonly<Record<"GET" | "PUT" | "POST" | "DELETE", Handler>> = {
    async GET(caller, body, request, reply) {
      requireEmbed(caller);
      const parseNew = () => parseNewUserGroup(body);
      const { userGroup, created } = await userGroups.getOrCreate(caller, parseProvidedId(body), parseNew);
      if (created) request.hasWritten = true;
      reply.type(JSON_TYPE);
      return writeGetReply(userGroup, userGroupReader.tokenOf(userGroup), created);
    },
    async PUT(caller, body, _request, reply) {
      const writer = requireWrite(caller);
      const { providedId, changes } = parseUpdate(body);
      const group = await userGroups.update(writer, { by: "providedId", providedId }, changes);
      reply.type(JSON_TYPE);
      return writePutReply(group, userGroupReader.tokenOf(group));
    },
    async POST(caller, body, request, reply) {
      const writer = requireWrite(caller);
      const { currentToken, key } = parseRotation(body, request.headers[IDEMPOTENCY_KEY_HEADER]);
      return once({ writer, key, content: ["POST /api/user", body.members], reply }, async (rotator) => {
        const { userGroup, token } = await userGroups.rotateToken(rotator, {
          by: "token",
          token: currentToken,
        });
        return postView(userGroup, token);
      });
    },
    async DELETE(caller, body, request, reply) {
      const writer = requireWrite(caller);
      const { currentToken, key, expected } = parseDeletion(body, request.headers[IDEMPOTENCY_KEY_HEADER]);
      return once({ writer, key, content: ["DELETE /api/user", body.members], reply }, async (deleter) => {
        await userGroups.delete(deleter, { by: "token", token: currentToken }, expected);
        return deleteView();
      });
    },
  };
  registerAuthenticatedRoutes(app, services, PATH, handlers);
}
