import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../domain/authentication/identity.js";
import { MAX_KEY_CACHE_MS } from "../../services/accounts/key-cache.js";
import type { Access } from "../../services/authentication/access.js";

declare module "fastify" {
  interface FastifyRequest {
    /** How many bytes the body may have, where that is less than the route allows. */
    maxBodyBytes: number | undefined;
  }
}

/** Maximum size of a body without an API key, in bytes: far more than introspection or the query of a front end takes. */
export const SMALL_BODY_LIMIT = 64 * 1024;

/** Identifies the callers of GraphQL requests before their bodies are read: only API keys may send large ones. */
export class CallerIdentification {
  readonly #access: Access;
  readonly #identities = new WeakMap<FastifyRequest, Identity>();

  constructor(access: Access) {
    this.#access = access;
  }

  /**
   * Identifies the caller; without a promise where nothing has to be waited for.
   * @throws DomainError `unauthenticated` for invalid credentials, `rate_limited`
   */
  identify(request: FastifyRequest): Promise<void> | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      request.maxBodyBytes = SMALL_BODY_LIMIT;
      return undefined;
    }
    const origin = originOf(request);
    const caller = this.#access.recall(authorization, origin);
    if (!caller)
      return this.#access.identify(authorization, origin).then((found) => this.#admit(request, found));
    this.#identities.set(request, { kind: "caller", caller });
    return undefined;
  }

  /**
   * Returns the caller of a request whose body has arrived, or null without credentials. If that took longer than a key may be
   * remembered, the credentials are checked again: they may have been revoked meanwhile.
   */
  async identityOf(request: FastifyRequest, reply: FastifyReply): Promise<Identity | null> {
    const identity = this.#identities.get(request) ?? null;
    if (!identity || reply.elapsedTime <= MAX_KEY_CACHE_MS) return identity;
    return this.#access.identify(request.headers.authorization, originOf(request));
  }

  #admit(request: FastifyRequest, identity: Identity): void {
    this.#identities.set(request, identity);
    if (identity.kind === "frontEnd") request.maxBodyBytes = SMALL_BODY_LIMIT;
  }
}

function originOf({ id: requestId, ip: address, deadline }: FastifyRequest) {
  return { requestId, address, deadline };
}
