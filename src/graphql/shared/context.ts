import type { Caller, Tenant } from "../../domain/accounts/caller.js";
import { missingCredentials } from "../../domain/authentication/authorization.js";
import type { Identity } from "../../domain/authentication/identity.js";
import type { ReadConsistency } from "../../domain/requests/read-consistency.js";
import type { ReadReplica } from "../../domain/requests/read-replica.js";
import type { Allowance } from "../../domain/shared/allowance.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Services } from "../../services/services.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { Loaders } from "./loaders.js";

/** What the resolvers of one request share. */
export interface GraphqlContext {
  readonly requestId: string;
  readonly watcher: Watcher;
  /** The Authorization header, for checking again in what stays connected. */
  readonly authorization: string | undefined;
  /** Under which a mutation counts once, if its sender wants that. */
  readonly idempotencyKey: string | undefined;
  /** What a query wants to see, if its sender says so. */
  readonly consistency: ReadConsistency | undefined;
  /** Null for a request without credentials, which may only look at the schema. */
  readonly session: Session | FrontEndSession | null;
  /** What a rate limit leaves, once the request's first point was taken; null where there is none. */
  readonly allowance: Allowance | null;
  readonly metrics: Metrics;
  /** Takes further points. @returns null where there is no limit @throws DomainError `rate_limited` when too few are left */
  spend(points: number): Promise<Allowance> | null;
  /** Notes that the request may have changed something, so that its reply is not withheld. */
  noteWrite(): void;
}

/** Follows single groups for subscribers. */
export interface Watcher {
  /** @param by the `UserGroupBy` input; a front end may leave it out */
  watch(by: object | null | undefined, context: GraphqlContext): Promise<AsyncIterable<object>>;
}

/** The holder of an API key, and what was loaded for it. */
export interface Session {
  readonly kind: "caller";
  readonly caller: Caller;
  readonly loaders: Loaders;
}

/** The front end of one user group, which reads nothing but its own group (decision 15). */
export interface FrontEndSession {
  readonly kind: "frontEnd";
  readonly userGroup: UserGroup;
  readonly deadline?: Deadline | undefined;
  readonly loaders: Loaders;
}

/**
 * Makes the context of a request, and takes one point for it.
 * @param request.identity null for a request without credentials
 * @throws DomainError `rate_limited`
 */
export async function createContext(
  services: Services,
  watcher: Watcher,
  request: {
    readonly id: string;
    readonly identity: Identity | null;
    readonly authorization: string | undefined;
    readonly idempotencyKey: string | undefined;
    readonly consistency: ReadConsistency | undefined;
    readonly address: string;
    /** Aborts when the client has gone. */
    readonly signal?: () => AbortSignal;
    readonly noteWrite: () => void;
  },
): Promise<GraphqlContext> {
  const { id: requestId, identity, authorization, idempotencyKey, consistency, address } = request;
  const { signal, noteWrite } = request;
  const spender = identity ?? ({ kind: "address", address } as const);
  const spend = (points: number) => services.rateLimits.spend(spender, points);
  const spending = spend(1);
  const allowance = spending && (await spending);
  const session = identity && { ...identity, loaders: new Loaders(services, tenantOf(identity), { signal }) };
  const { metrics } = services.telemetry;
  return {
    requestId,
    authorization,
    idempotencyKey,
    consistency,
    watcher,
    session,
    allowance,
    metrics,
    spend,
    noteWrite,
  };
}

/** Whose data somebody asks for. */
export function tenantOf(identity: Identity): Tenant {
  if (identity.kind === "caller") return identity.caller;
  const { userGroup, deadline } = identity;
  const { accountId, environment } = userGroup;
  return { accountId, environment, deadline };
}

/** The same session, with nothing loaded yet, reading from a replica. */
export function readingFrom(
  services: Services,
  session: Session | FrontEndSession,
  replica: ReadReplica,
): Session | FrontEndSession {
  const tenant = { ...tenantOf(session), replica };
  const { budget, signal } = session.loaders;
  const loaders = new Loaders(services, tenant, { budget: budget.again(), signal });
  if (session.kind === "frontEnd") return { ...session, loaders };
  return { ...session, caller: { ...session.caller, replica }, loaders };
}

/** @throws DomainError `unauthenticated` for a request without credentials, `forbidden` for a front end's */
export function requireSession(context: GraphqlContext): Session {
  const session = requireAnySession(context);
  if (session.kind === "caller") return session;
  throw new DomainError("forbidden", "A user group token reads its own group only.");
}

/**
 * The session of whoever asks, for the few fields that a front end may read as well.
 * @throws DomainError `unauthenticated` for a request without credentials
 */
export function requireAnySession({ session }: GraphqlContext): Session | FrontEndSession {
  if (session) return session;
  throw missingCredentials();
}
