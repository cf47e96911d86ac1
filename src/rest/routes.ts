import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Writer } from "../domain/accounts/caller.js";
import { requireTokens, requireWrite } from "../domain/accounts/scopes.js";
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../domain/requests/idempotency-key.js";
import { rateLimitHeaders } from "../domain/requests/rate-limit-headers.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import type { Services } from "../services/services.js";
import { refuseOtherMethods } from "./method-refusal.js";
import {
  parseBody,
  parseDeletion,
  parseNewUserGroup,
  parseProvidedId,
  parseRotation,
  parseUpdate,
  type RequestBody,
} from "./requests.js";
import { deleteView, postView, writeGetReply, writePutReply } from "./views.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of `/api/user` once the API key was verified. */
    restCaller: Caller | null;
  }
}

/** Decision 12: a mapping of 1,000 entries with 255-character keys and values fits. */
export const BODY_LIMIT = 1024 * 1024;
const METHODS = ["GET", "PUT", "POST", "DELETE"] as const;
const PATHS = ["/api/user", "/api/user/"];
const JSON_TYPE = "application/json; charset=utf-8";

type Method = (typeof METHODS)[number];

type Handler = (
  caller: Caller,
  body: RequestBody,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/** Registers the four methods of `/api/user` (interface, part 4). The app must let GET have a body. */
export function registerUserRoutes(app: FastifyInstance, services: Services): void {
  const { access, idempotency, rateLimits, userGroups, userGroupReader } = services;

  const handlers: Readonly<Record<Method, Handler>> = {
    async GET(caller, body, request, reply) {
      requireTokens(caller);
      const describe = () => parseNewUserGroup(body);
      const { userGroup, created } = await userGroups.getOrCreate(caller, parseProvidedId(body), describe);
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
      const rotate = async (rotator: Writer) => {
        const { userGroup, token } = await userGroups.rotateToken(rotator, currentToken);
        return postView(userGroup, token);
      };
      if (key === undefined) return rotate(writer);
      const content = ["POST /api/user", body.members];
      const outcome = await idempotency.once(writer, { key, content }, rotate);
      if (outcome.replayed) reply.header(REPLAYED_HEADER, "true");
      return outcome.reply;
    },
    async DELETE(caller, body) {
      const writer = requireWrite(caller);
      const { currentToken, expected } = parseDeletion(body);
      await userGroups.delete(writer, currentToken, expected);
      return deleteView();
    },
  };

  /** Lets a request in; at once, without a promise, where nothing has to be waited for. */
  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const { authorization } = request.headers;
    const origin = originOf(request);
    const begin = (caller: Caller) => {
      request.restCaller = caller;
      request.tenant = caller;
      return rateLimits.spend({ kind: "caller", caller }, 1)?.then((allowance) => {
        reply.headers(rateLimitHeaders(allowance));
      });
    };
    const known = access.recall(authorization, origin);
    return known ? begin(known) : access.authenticate(authorization, origin).then(begin);
  };

  app.decorateRequest("restCaller", null);
  for (const url of PATHS) {
    for (const method of METHODS) {
      const handle = handlers[method];
      app.route({
        method,
        url,
        bodyLimit: BODY_LIMIT,
        config: { keepsBodyText: true },
        // The key is checked before a byte of the body is read.
        onRequest: (request, reply, done) => {
          const waiting = admit(request, reply);
          if (waiting) waiting.then(() => done(), done);
          else done();
        },
        handler: (request, reply) => {
          if (method !== "GET") request.hasWritten = true;
          const run = (caller: Caller) =>
            handle(caller, parseBody(request.body, request.bodyText, method), request, reply);
          // The key may have been revoked while a slow body arrived.
          return reply.elapsedTime > MAX_KEY_CACHE_MS
            ? access.authenticate(request.headers.authorization, originOf(request)).then(run)
            : run(callerOf(request));
        },
      });
    }
    refuseOtherMethods(app, url, METHODS);
  }
}

function originOf({ id: requestId, ip: address, deadline }: FastifyRequest) {
  return { requestId, address, deadline };
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.restCaller) throw new Error("The route was reached without authentication.");
  return request.restCaller;
}
