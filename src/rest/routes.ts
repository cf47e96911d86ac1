import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Writer } from "../domain/accounts/caller.js";
import { requireEmbed, requireWrite } from "../domain/accounts/scopes.js";
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../domain/requests/idempotency-key.js";
import { rateLimitHeaders } from "../domain/requests/rate-limit-headers.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import type { Services } from "../services/services.js";
import { rejectOtherMethods } from "./method-not-allowed.js";
import {
  parseBody,
  parseDeletion,
  parseNewUserGroup,
  parseProvidedId,
  parseRotation,
  parseUpdate,
  type RequestBody,
} from "./request-parsing.js";
import { deleteView, postView, writeGetReply, writePutReply } from "./views.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of `/api/user` once the API key is verified. */
    restCaller: Caller | null;
  }
}

/** In bytes: fits a mapping of 1,000 entries with 255-character keys and values (decision 12). */
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

/** Registers the four methods of `/api/user` (interface, part 4). The app must accept GET requests with a body. */
export function registerUserRoutes(app: FastifyInstance, services: Services): void {
  const { access, idempotency, rateLimits, userGroups, userGroupReader } = services;

  const handlers: Readonly<Record<Method, Handler>> = {
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

  /** Authenticates a request and charges its rate limit; synchronous if the API key is cached and has no rate limit. */
  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const { authorization } = request.headers;
    const origin = originOf(request);
    const acceptCaller = (caller: Caller) => {
      request.restCaller = caller;
      request.tenant = caller;
      return rateLimits.spend({ kind: "caller", caller }, 1)?.then((allowance) => {
        reply.headers(rateLimitHeaders(allowance));
      });
    };
    const known = access.authenticateCached(authorization, origin);
    return known ? acceptCaller(known) : access.authenticate(authorization, origin).then(acceptCaller);
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
        // Authenticate before any of the body is read.
        onRequest: (request, reply, done) => {
          const pending = admit(request, reply);
          if (pending) pending.then(() => done(), done);
          else done();
        },
        handler: (request, reply) => {
          if (method !== "GET") request.hasWritten = true;
          const run = (caller: Caller) =>
            handle(caller, parseBody(request.body, request.bodyText, method), request, reply);
          // The API key may have been revoked while a slow body arrived: check again.
          return reply.elapsedTime > MAX_KEY_CACHE_MS
            ? access.authenticate(request.headers.authorization, originOf(request)).then(run)
            : run(callerOf(request));
        },
      });
    }
    rejectOtherMethods(app, url, METHODS);
  }
}

function originOf({ id: requestId, ip: address, deadline }: FastifyRequest) {
  return { requestId, address, deadline };
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.restCaller) throw new Error("The route was reached without authentication.");
  return request.restCaller;
}
