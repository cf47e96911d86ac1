import type { Tenant } from "../../domain/accounts/caller.js";
import { credentialsError } from "../../domain/authentication/authorization.js";
import type { Identity } from "../../domain/authentication/identity.js";
import type { Allowance } from "../../domain/shared/allowance.js";
import type { ErrorCode } from "../../domain/shared/error-catalogue.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Services } from "../../services/services.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { Loaders } from "./loaders.js";

/** Per-request state that resolvers share. */
export interface GraphqlContext {
  readonly requestId: string;
  readonly services: Services;
  readonly watcher: Watcher;
  /** The Authorization header; undefined once a subscription has started. */
  authorization: string | undefined;
  /** The Idempotency-Key header: a mutation with it is applied at most once. */
  readonly idempotencyKey: string | undefined;
  /** Null for a request without credentials, which may only introspect the schema. */
  readonly session: Session | FrontEndSession | null;
  /** Remaining rate limit after the first cost unit was charged; null without a rate limit. */
  readonly allowance: Allowance | null;
  readonly metrics: Metrics;
  /** Names of the document's fields; undefined until the operation is admitted. */
  fields?: ReadonlySet<string>;
  /** Charges further cost units. @returns null without a rate limit @throws DomainError `rate_limited` */
  spend(cost: number): Promise<Allowance> | null;
  /** Records that the request may have written data, so that its reply is not withheld. */
  recordWrite(): void;
  /** Records that a mutation was refused in its payload, so that the call counts as an error as it does over REST. */
  recordRefusal(code: ErrorCode): void;
}

/** Subscribes to changes of a single user group. */
export interface Watcher {
  /** @param by the `UserGroupBy` input; optional for front ends */
  watch(by: object | null | undefined, context: GraphqlContext): Promise<AsyncIterable<object>>;
}

type SessionOf<Kind> = Extract<Identity, { readonly kind: Kind }> & { readonly loaders: Loaders };

/** An API key's caller with its loaders. */
export type Session = SessionOf<"caller">;

/** A front end with a user group token or an embed session, which may read that user group only (decision 15). */
export type FrontEndSession = SessionOf<"frontEnd">;

/**
 * Creates the context of a request and charges one cost unit.
 * @param request.identity null for a request without credentials
 * @throws DomainError `rate_limited`
 */
export async function createContext(
  services: Services,
  watcher: Watcher,
  request: Pick<GraphqlContext, "authorization" | "idempotencyKey" | "recordWrite" | "recordRefusal"> & {
    readonly id: string;
    readonly identity: Identity | null;
    readonly address: string;
  },
): Promise<GraphqlContext> {
  const { id: requestId, identity, address, authorization, idempotencyKey } = request;
  const { recordWrite, recordRefusal } = request;
  const spender = identity ?? ({ kind: "address", address } as const);
  const spend = (cost: number) => services.rateLimits.spend(spender, cost);
  const charge = services.rateLimits.spend(spender, 1);
  const allowance = charge && (await charge);
  const session = identity && { ...identity, loaders: new Loaders(services, tenantOf(identity)) };
  const { metrics } = services.telemetry;
  // Listed one by one: with a spread, each context would have a hidden class of its own, which takes as much memory again.
  return {
    requestId,
    services,
    watcher,
    authorization,
    idempotencyKey,
    session,
    allowance,
    metrics,
    spend,
    recordWrite,
    recordRefusal,
  };
}

/** Returns the tenant whose data an identity may access. */
export function tenantOf(identity: Identity): Tenant {
  if (identity.kind === "caller") return identity.caller;
  const { userGroup, deadline } = identity;
  const { accountId, environment } = userGroup;
  return { accountId, environment, deadline };
}

/** @throws DomainError `unauthenticated` for a request without credentials, `forbidden` for a front end */
export function requireSession(context: GraphqlContext): Session {
  const { session } = context;
  if (session?.kind === "caller") return session;
  throw session
    ? new DomainError("forbidden", "A user group token can only read its own user group.")
    : credentialsError(undefined, "graphql");
}

/**
 * Returns the session of an API key or a front end; for the few fields that front ends may read.
 * @throws DomainError `unauthenticated` for a request without credentials
 */
export function requireAnySession({ session }: GraphqlContext): Session | FrontEndSession {
  if (session) return session;
  throw credentialsError(undefined, "graphql");
}
