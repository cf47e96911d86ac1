import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Writer } from "../domain/caller.js";
import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER, readIdempotencyKey } from "../domain/idempotency-key.js";
import { rateLimitHeaders } from "../domain/rate-limit-headers.js";
import { requireWrite } from "../services/access.js";
import type { Services } from "../services/services.js";
import { refuseOtherMethods } from "./method-refusal.js";
import { userReplySchemas } from "./user-reply-schema.js";
import { createRequestParsers, parseBody } from "./user-requests.js";
import { deleteView, getView, postView, putView } from "./user-views.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of `/api/user` once the API key was verified. */
    restCaller: Caller | null;
  }
}

/** Decision 12. */
export const BODY_LIMIT = 256 * 1024;
const METHODS = ["GET", "PUT", "POST", "DELETE"] as const;
const PATHS = ["/api/user", "/api/user/"];

type Method = (typeof METHODS)[number];

type Handler = (
  caller: Caller,
  body: Readonly<Record<string, unknown>>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/** Registers the four methods of `/api/user` (interface, part 4). The app must let GET have a body. */
export function registerUserRoutes(app: FastifyInstance, services: Services): void {
  const { access, idempotency, rateLimits, userGroups, userGroupReader } = services;
  const parse = createRequestParsers();
  const replies = userReplySchemas({});

  const handlers: Readonly<Record<Method, Handler>> = {
    async GET(caller, body) {
      const describe = () => parse.newUserGroup(body);
      const { userGroup, created } = await userGroups.getOrCreate(caller, parse.providedId(body), describe);
      return getView(userGroup, userGroupReader.tokenOf(userGroup), created);
    },
    async PUT(caller, body) {
      const writer = requireWrite(caller);
      const { providedId, changes } = parse.update(body);
      const group = await userGroups.update(writer, { by: "providedId", providedId }, changes);
      return putView(group, userGroupReader.tokenOf(group));
    },
    async POST(caller, body, request, reply) {
      const writer = requireWrite(caller);
      const key = readIdempotencyKey(request.headers[IDEMPOTENCY_KEY_HEADER]);
      const token = parse.tokenToRotate(body);
      const rotate = async (rotator: Writer) => {
        const group = await userGroups.rotateToken(rotator, token);
        return postView(group, userGroupReader.tokenOf(group));
      };
      if (key === undefined) return rotate(writer);
      const content = ["POST /api/user", body];
      const outcome = await idempotency.once(writer, { key, content }, rotate);
      if (outcome.replayed) reply.header(REPLAYED_HEADER, "true");
      return outcome.reply;
    },
    async DELETE(caller, body) {
      const writer = requireWrite(caller);
      const { currentToken, expected } = parse.deletion(body);
      await userGroups.delete(writer, currentToken, expected);
      return deleteView();
    },
  };

  /** Lets a request in; at once, without a promise, where nothing has to be waited for. */
  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const { authorization } = request.headers;
    const origin = { requestId: request.id, address: request.ip };
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
        schema: { response: { 200: replies[method] } },
        // The key is checked before a byte of the body is read.
        onRequest: (request, reply, done) => {
          const waiting = admit(request, reply);
          if (waiting) waiting.then(() => done(), done);
          else done();
        },
        handler: (request, reply) => handle(callerOf(request), parseBody(request.body), request, reply),
      });
    }
    refuseOtherMethods(app, url, METHODS);
  }
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.restCaller) throw new Error("The route was reached without authentication.");
  return request.restCaller;
}
