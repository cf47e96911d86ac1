import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendAsyncHookHandler,
  RouteOptions,
} from "fastify";
import type { z } from "zod";
import type { Caller } from "../domain/accounts/caller.js";
import { rateLimitHeaders } from "../domain/requests/rate-limit.js";
import { DomainError, invalidField } from "../domain/shared/errors.js";
import { isObject } from "../domain/shared/json.js";
import { withSource } from "../domain/shared/stored-json.js";
import { MAX_KEY_CACHE_MS } from "../services/accounts/key-cache.js";
import type { Services } from "../services/services.js";
import { parse } from "./fields.js";
import type { Documentation, PathDocumentation } from "./openapi.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set on the routes of the REST API once the API key is verified. */
    restCaller: Caller | null;
  }
}

/** In bytes: fits a mapping of 1,000 entries with 255-character keys and values (decision 12). */
const BODY_LIMIT = 1024 * 1024;

interface OperationRequest {
  readonly services: Services;
  /** The JSON object of the body; empty if the operation takes none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A request with an API key. */
export interface RestRequest extends OperationRequest {
  readonly caller: Caller;
}

/** A request that needs no API key. */
export interface OpenRequest extends OperationRequest {
  /** Null without an API key. */
  readonly caller: Caller | null;
}

interface KeyOperation extends Documentation {
  readonly access?: "scope" | "anyKey";
  readonly handle: (request: RestRequest) => Promise<unknown>;
}

interface OpenOperation extends Documentation {
  readonly access: "optionalKey" | "anyone";
  readonly handle: (request: OpenRequest) => Promise<unknown>;
}

/** An operation on a path: its documentation, and the handler with what the route needs beyond it. */
export type Operation = (KeyOperation | OpenOperation) & {
  /** Accepts and ignores a JSON body; otherwise an operation without body refuses one. */
  readonly ignoresBody?: true;
  /** Adds headers to every reply, also to errors. */
  readonly onSend?: onSendAsyncHookHandler;
};

/** A path with its operations by method. */
export interface RestPath extends PathDocumentation {
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Registers the operations on a path, with and without a trailing slash. */
export function registerOperations(
  app: FastifyInstance,
  services: Services,
  { path, operations }: RestPath,
): void {
  if (!app.hasRequestDecorator("restCaller")) app.decorateRequest("restCaller", null);
  for (const url of [path, `${path}/`]) {
    for (const [name, operation] of Object.entries(operations)) {
      const { mergePatchExamples, text, onSend } = operation;
      const method = name.toUpperCase();
      app.route({
        method,
        url,
        bodyLimit: text?.maxBytes ?? BODY_LIMIT,
        config: {
          keepsBodyText: true,
          takesText: text !== undefined,
          takesMergePatch: mergePatchExamples !== undefined,
        },
        ...(onSend && { onSend }),
        ...accept(services, method, operation),
      });
    }
  }
}

/** Returns the hook and the handler of an operation's route, which depend on the callers. */
function accept(
  services: Services,
  method: string,
  operation: Operation,
): Pick<RouteOptions, "onRequest" | "handler"> {
  switch (operation.access) {
    case "anyone": {
      const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
        operation.handle({ ...readCall(services, operation, request, reply), caller: null });
      // A preflight request is answered before its body is read.
      return method === "OPTIONS" ? { onRequest: answer, handler: answer } : { handler: answer };
    }
    case "optionalKey":
      return acceptApiKey(services, async (caller, request, reply) =>
        operation.handle({ ...readCall(services, operation, request, reply), caller }),
      );
    default: {
      const { access, handle } = operation;
      return requireApiKey(services, async (caller, request, reply) => {
        if (method !== "GET" && access !== "anyKey") request.hasWritten = true;
        return handle({ ...readCall(services, operation, request, reply), caller });
      });
    }
  }
}

type Handle<Key> = (caller: Key, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Routes that require an API key: authentication comes before any of the body is read, then the rate limit is charged. */
function requireApiKey({ access, rateLimits }: Services, handle: Handle<Caller>) {
  const authenticate = ({ headers, id: requestId, ip: address, deadline }: FastifyRequest) =>
    access.authenticate(headers.authorization, { requestId, address, deadline });

  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      const { headers, id: requestId, deadline } = request;
      const known = access.authenticateCached(headers.authorization, { requestId, deadline });
      const caller = known ?? (await authenticate(request));
      request.restCaller = caller;
      request.tenant = caller;
      const allowance = await rateLimits.spend({ kind: "caller", caller }, 1);
      if (allowance) reply.headers(rateLimitHeaders(allowance));
    },
    handler(request: FastifyRequest, reply: FastifyReply) {
      const { restCaller } = request;
      // The API key may have been revoked while a slow body arrived: check again.
      if (!restCaller || reply.elapsedTime > MAX_KEY_CACHE_MS)
        return authenticate(request).then((caller) => handle(caller, request, reply));
      return handle(restCaller, request, reply);
    },
  };
}

/** Routes that an API key may call; without one, the rate limit of the address is charged. */
function acceptApiKey(services: Services, handle: Handle<Caller | null>) {
  const withKey = requireApiKey(services, handle);
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply) {
      if (request.headers.authorization !== undefined) return withKey.onRequest(request, reply);
      request.tenant = null;
      const allowance = await services.rateLimits.spend({ kind: "address", address: request.ip }, 1);
      if (allowance) reply.headers(rateLimitHeaders(allowance));
    },
    handler(request: FastifyRequest, reply: FastifyReply) {
      if (request.headers.authorization !== undefined) return withKey.handler(request, reply);
      return handle(null, request, reply);
    },
  };
}

/** Reads the body of a request. @throws DomainError `invalid_json`, `invalid_field` */
function readCall(
  services: Services,
  { request: schema, ignoresBody, text }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): OperationRequest {
  if (!schema) {
    if (request.body !== undefined && !ignoresBody && !text)
      throw invalidField(["body"], "must be empty; send parameters in the query");
    return { services, body: {}, request, reply };
  }
  const { body, bodyText, headers } = request;
  if (!isObject(body)) throw noObject(request);
  const { prefer } = headers;
  if (prefer !== undefined && prefersStrict(String(prefer))) {
    reply.header("preference-applied", "handling=strict");
    requireKnownFields(schema, body, bodyText);
  }
  return { services, body, request, reply };
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
