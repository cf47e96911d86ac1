import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { Caller } from "../domain/accounts/caller.js";
import { rateLimitHeaders } from "../domain/requests/rate-limit-headers.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import type { Services } from "../services/services.js";
import { parseBody, type RequestBody } from "./request-parsing.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of the REST API once the API key is verified. */
    restCaller: Caller | null;
  }
}

/** In bytes: fits a mapping of 1,000 entries with 255-character keys and values (decision 12). */
export const BODY_LIMIT = 1024 * 1024;

export type Handler = (
  caller: Caller,
  body: RequestBody,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/** The hook and handler of a route that requires an API key. */
interface KeyedRoute<Route extends RouteGenericInterface> {
  readonly onRequest: (
    request: FastifyRequest<Route>,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ) => void;
  readonly handler: (request: FastifyRequest<Route>, reply: FastifyReply) => Promise<unknown>;
}

/**
 * Returns the hook and handler of routes that require an API key: authentication comes before any of the body is read, then the rate
 * limit is charged.
 * @param handle runs with the authenticated caller
 */
export function requireApiKey<Route extends RouteGenericInterface = RouteGenericInterface>(
  app: FastifyInstance,
  { access, rateLimits }: Services,
  handle: (caller: Caller, request: FastifyRequest<Route>, reply: FastifyReply) => Promise<unknown>,
): KeyedRoute<Route> {
  /** Authenticates a request and charges its rate limit; synchronous if the API key is cached and has no rate limit. */
  const admit = (request: FastifyRequest<Route>, reply: FastifyReply): Promise<void> | undefined => {
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

  if (!app.hasRequestDecorator("restCaller")) app.decorateRequest("restCaller", null);
  return {
    onRequest(request, reply, done) {
      const pending = admit(request, reply);
      if (pending) pending.then(() => done(), done);
      else done();
    },
    handler(request, reply) {
      const run = (caller: Caller) => handle(caller, request, reply);
      // The API key may have been revoked while a slow body arrived: check again.
      return reply.elapsedTime > MAX_KEY_CACHE_MS
        ? access.authenticate(request.headers.authorization, originOf(request)).then(run)
        : run(callerOf(request));
    },
  };
}

/**
 * Registers the methods of a path, with and without a trailing slash. They require an API key and a JSON body; other methods are
 * rejected.
 */
export function registerAuthenticatedRoutes(
  app: FastifyInstance,
  services: Services,
  path: string,
  handlers: Readonly<Record<string, Handler>>,
): void {
  for (const url of [path, `${path}/`]) {
    for (const [method, handle] of Object.entries(handlers)) {
      app.route({
        method,
        url,
        bodyLimit: BODY_LIMIT,
        config: { keepsBodyText: true },
        ...requireApiKey(app, services, async (caller, request, reply) => {
          if (method !== "GET") request.hasWritten = true;
          return handle(caller, parseBody(request.body, request.bodyText, method), request, reply);
        }),
      });
    }
  }
}

function originOf({ id: requestId, ip: address, deadline }: Pick<FastifyRequest, "id" | "ip" | "deadline">) {
  return { requestId, address, deadline };
}

function callerOf({ restCaller }: Pick<FastifyRequest, "restCaller">): Caller {
  if (!restCaller) throw new Error("The route was reached without authentication.");
  return restCaller;
}
