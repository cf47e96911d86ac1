import type { FastifyReply, FastifyRequest } from "fastify";
import type { FollowedSession } from "../../domain/accounts/caller.js";
import type { Identity } from "../../domain/authentication/identity.js";
import { signedOut } from "../../domain/authentication/role.js";
import { IDEMPOTENCY_KEY_HEADER, parseIdempotencyKey } from "../../domain/requests/idempotency-key.js";
import { rateLimitHeaders } from "../../domain/requests/rate-limit.js";
import { MAX_KEY_CACHE_MS } from "../../services/accounts/key-cache.js";
import type { PersonsRole } from "../../services/authentication/access.js";
import type { Services } from "../../services/services.js";
import { createContext, type GraphqlContext, tenantOf, type Watcher } from "../shared/context.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Maximum body size in bytes, if lower than the route's limit. */
    maxBodyBytes: number | undefined;
    /** The caller of a GraphQL request; undefined without credentials. */
    identity?: Identity;
    /** The console session that authenticated the request. */
    consoleSession?: FollowedSession;
    /** The person of a console session, and what the person may do. */
    role?: PersonsRole;
  }
}

/** Maximum body size in bytes without an API key: far more than introspection or a front end's query needs. */
export const SMALL_BODY_LIMIT = 64 * 1024;

/** The callers of GraphQL requests. */
export class Callers {
  constructor(
    private readonly services: Services,
    private readonly watcher: Watcher,
  ) {}

  /**
   * Identifies the caller before the body is read: only API keys may send large bodies. Synchronous if there are no credentials or the API
   * key is cached.
   * @throws DomainError `unauthenticated` for invalid credentials, `rate_limited`
   */
  identify(request: FastifyRequest): Promise<void> | undefined {
    const { authorization } = request.headers;
    if (request.role) return this.#identifyUncached(request);
    if (authorization === undefined) {
      request.maxBodyBytes = SMALL_BODY_LIMIT;
      return undefined;
    }
    const caller = this.services.access.authenticateCached(authorization, originOf(request));
    if (!caller) return this.#identifyUncached(request);
    request.identity = { kind: "caller", caller };
    request.tenant = caller;
    return undefined;
  }

  /**
   * Creates the context of a request whose body has arrived. Checks the credentials again if that took longer than API keys are cached: they
   * may have been revoked in the meantime.
   */
  async contextOf(request: FastifyRequest, reply: FastifyReply): Promise<GraphqlContext> {
    const { id, headers, ip: address } = request;
    const header = headers[IDEMPOTENCY_KEY_HEADER];
    const idempotencyKey = header === undefined ? undefined : parseIdempotencyKey(header);
    if (request.identity && reply.elapsedTime > MAX_KEY_CACHE_MS) {
      await this.#identifyUncached(request);
      if (request.consoleSession && !(await request.consoleSession.isOpen())) throw signedOut();
    }
    const context = await createContext(this.services, this.watcher, {
      id,
      identity: request.identity ?? null,
      authorization: headers.authorization,
      idempotencyKey,
      address,
      recordWrite() {
        request.hasWritten = true;
      },
      recordRefusal(code) {
        request.errorCode ??= code;
      },
    });
    if (context.allowance) reply.headers(rateLimitHeaders(context.allowance));
    return context;
  }

  async #identifyUncached(request: FastifyRequest): Promise<void> {
    const identity = await this.services.access.identify(request.headers.authorization, originOf(request));
    request.identity = identity;
    request.tenant = tenantOf(identity);
    if (identity.kind === "frontEnd") request.maxBodyBytes = SMALL_BODY_LIMIT;
  }
}

function originOf({ id: requestId, ip: address, deadline, consoleSession, role }: FastifyRequest) {
  return { requestId, address, deadline, consoleSession, role };
}
