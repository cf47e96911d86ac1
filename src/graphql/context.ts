import type { Caller } from "../domain/caller.js";
import { DomainError } from "../domain/errors.js";
import type { Services } from "../services/services.js";
import { Loaders } from "./loaders.js";

/** What the resolvers of one request share. */
export interface GraphqlContext {
  readonly requestId: string;
  /** Null for a request without credentials, which may only look at the schema. */
  readonly session: Session | null;
}

/** An authenticated caller and what was loaded for it. */
export interface Session {
  readonly caller: Caller;
  readonly loaders: Loaders;
}

/**
 * Makes the context of a request.
 * @throws DomainError `unauthenticated` for credentials that are not valid; none at all are fine
 */
export async function createContext(
  services: Services,
  request: { readonly id: string; readonly authorization: string | undefined },
): Promise<GraphqlContext> {
  if (request.authorization === undefined) return { requestId: request.id, session: null };
  const caller = await services.access.authenticate(request.authorization);
  return { requestId: request.id, session: { caller, loaders: new Loaders(services, caller) } };
}

/** @throws DomainError `unauthenticated` for a request without credentials */
export function requireSession({ session }: GraphqlContext): Session {
  if (session) return session;
  throw new DomainError(
    "unauthenticated",
    "The Authorization header is missing. Send: Authorization: Token <API_KEY>",
  );
}
