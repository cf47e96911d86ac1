import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from "fastify";
import type { z } from "zod";
import type { Caller } from "../domain/accounts/caller.js";
import { rateLimitHeaders } from "../domain/requests/rate-limit.js";
import { DomainError, invalidField } from "../domain/shared/errors.js";
import { isObject } from "../domain/shared/json.js";
import { withSource } from "../domain/shared/stored-json.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import type { Services } from "../services/services.js";
import { parse } from "./fields.js";
import type { Documentation } from "./openapi.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of the REST API once the API key is verified. */
    restCaller: Caller | null;
  }
}

/** In bytes: fits a mapping of 1,000 entries with 255-character keys and values (decision 12). */
export const BODY_LIMIT = 1024 * 1024;

/** A request with an API key and, unless its operation takes none, a JSON object as its body. */
export interface RestRequest {
  readonly services: Services;
  readonly caller: Caller;
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An operation on a path, as documented, and its handler. */
export interface Operation extends Documentation {
  readonly handle: (request: RestRequest) => Promise<unknown>;
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
) {
  const authenticate = ({ headers, id: requestId, ip: address, deadline }: FastifyRequest<Route>) =>
    access.authenticate(headers.authorization, { requestId, address, deadline });

  if (!app.hasRequestDecorator("restCaller")) app.decorateRequest("restCaller", null);
  return {
    async onRequest(request: FastifyRequest<Route>, reply: FastifyReply) {
      const { headers, id: requestId, deadline } = request;
      const known = access.authenticateCached(headers.authorization, { requestId, deadline });
      const caller = known ?? (await authenticate(request));
      request.restCaller = caller;
      request.tenant = caller;
      const allowance = await rateLimits.spend({ kind: "caller", caller }, 1);
      if (allowance) reply.headers(rateLimitHeaders(allowance));
    },
    handler(request: FastifyRequest<Route>, reply: FastifyReply) {
      const { restCaller } = request;
      // The API key may have been revoked while a slow body arrived: check again.
      if (!restCaller || reply.elapsedTime > MAX_KEY_CACHE_MS)
        return authenticate(request).then((caller) => handle(caller, request, reply));
      return handle(restCaller, request, reply);
    },
  };
}

/** Registers the operations on a path, by method, with and without a trailing slash. They require an API key. */
export function registerOperations(
  app: FastifyInstance,
  services: Services,
  path: string,
  operations: Readonly<Record<string, Operation>>,
): void {
  for (const url of [path, `${path}/`]) {
    for (const [name, { handle, request: schema, mergePatchExamples }] of Object.entries(operations)) {
      const method = name.toUpperCase();
      app.route({
        method,
        url,
        bodyLimit: BODY_LIMIT,
        config: { keepsBodyText: true, takesMergePatch: mergePatchExamples !== undefined },
        ...requireApiKey(app, services, async (caller, request, reply) => {
          if (method !== "GET") request.hasWritten = true;
          const { bodyText, headers } = request;
          if (!schema && request.body !== undefined)
            throw invalidField(["body"], "must be empty; send parameters in the query");
          const body = schema ? request.body : {};
          if (!isObject(body)) throw noObject(request);
          const { prefer } = headers;
          if (schema && prefer !== undefined && prefersStrict(String(prefer))) {
            reply.header("preference-applied", "handling=strict");
            requireKnownFields(schema, body, bodyText);
          }
          return handle({ services, caller, body, request, reply });
        }),
      });
    }
  }
}

/** Returns whether the header Prefer has `handling=strict` (RFC 7240); of repeated preferences the first counts. */
function prefersStrict(header: string): boolean {
  const preferences = header.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+/g) ?? [];
  const handling = preferences.find((preference) => /^\s*handling\s*(?:[=;]|$)/i.test(preference));
  return /^[^=;]*=\s*"?strict"?\s*(?:;|$)/i.test(handling ?? "");
}

/** @throws DomainError `invalid_field` if there are unknown fields, with these and all invalid ones */
function requireKnownFields(schema: z.ZodObject, body: RestRequest["body"], bodyText: string): void {
  // Decision 5: an existing group is returned whatever the values of known fields.
  const isKnown = (name: string) => Object.hasOwn(schema.shape, name);
  if (!Object.keys(body).every(isKnown)) parse(schema.strict(), withSource(body, "properties", bodyText));
}

/** Returns the error of a body that is not a JSON object. */
function noObject({ body, method, headers }: FastifyRequest): DomainError {
  if (body !== undefined) return new DomainError("invalid_json", "The body must be a JSON object.");
  const isUnannounced = headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  const hints = [
    ...(isUnannounced
      ? [
          "If your client sent one, it left out the header `Content-Length`, as node:http does with GET and DELETE.",
        ]
      : []),
    ...(method === "GET"
      ? ["If your client cannot send a body with GET, use the GraphQL mutation `getOrCreateUserGroup`."]
      : []),
  ];
  return new DomainError(
    "invalid_json",
    ["The request has no body. Send a JSON object.", ...hints].join(" "),
  );
}
