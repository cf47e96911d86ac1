import type { FastifyReply, FastifyRequest } from "fastify";
import type { Identity } from "../../domain/authentication/identity.js";
import { MAX_KEY_CACHE_MS } from "../../services/accounts/key-cache.js";
import type { Access } from "../../services/authentication/access.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Maximum body size in bytes, if lower than the route's limit. */
    maxBodyBytes: number | undefined;
    /** When the API key was entered, if it comes from a console session. */
    signedInAt?: Date;
  }
}

/** Maximum body size in bytes without an API key: far more than introspection or a front end's query needs. */
export const SMALL_BODY_LIMIT = 64 * 1024;

/** Identifies the caller of a GraphQL request before the body is read: only API keys may send large bodies. */
export class CallerIdentification {
  readonly #access: Access;
  readonly #identities = new WeakMap<FastifyRequest, Identity>();

  constructor(access: Access) {
    this.#access = access;
  }

  /**
   * Identifies the caller; synchronous if there are no credentials or the API key is cached.
   * @throws DomainError `unauthenticated` for invalid credentials, `rate_limited`
   */
  identify(request: FastifyRequest): Promise<void> | undefined {
    const { authorization } = request.headers;
    if (authorization === undefined) {
      request.maxBodyBytes = SMALL_BODY_LIMIT;
      return undefined;
    }
    const origin = originOf(request);
    const caller = this.#access.authenticateCached(authorization, origin);
    if (!caller)
      return this.#access.identify(authorization, origin).then((found) => this.#admit(request, found));
    this.#identities.set(request, { kind: "caller", caller });
    return undefined;
  }

  /**
   * Returns the caller once the body has arrived, or null without credentials. Checks the credentials again if that took
   * longer than API keys are cached: they may have been revoked in the meantime.
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

function originOf({ id: requestId, ip: address, deadline, signedInAt }: FastifyRequest) {
  return { requestId, address, deadline, signedInAt };
}
