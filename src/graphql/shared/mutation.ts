import type { Admin, Caller, Writer } from "../../domain/accounts/caller.js";
import { requireAdmin, requireWrite } from "../../domain/accounts/scopes.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { isUserError } from "./error-format.js";
import { countShownError } from "./error-tally.js";
import { UserErrorView } from "./user-error-type.js";

/** Makes the payload of a failure that the caller's user can act upon. */
type Failed<Payload> = (userErrors: UserErrorView[]) => Payload;

/**
 * Runs a mutation for a caller who may write.
 * @throws DomainError `unauthenticated`, `forbidden` and every failure that is no user error
 */
export async function mutate<Payload>(
  context: GraphqlContext,
  work: (writer: Writer) => Promise<Payload>,
  failed: Failed<Payload>,
): Promise<Payload> {
  return mutateIfAllowed(context, (caller) => work(requireWrite(caller)), failed);
}

/** Runs a mutation for a caller with admin scope. @throws as `mutate` does */
export async function mutateAsAdmin<Payload>(
  context: GraphqlContext,
  work: (admin: Admin) => Promise<Payload>,
  failed: Failed<Payload>,
): Promise<Payload> {
  return mutateIfAllowed(context, (caller) => work(requireAdmin(caller)), failed);
}

/** Runs a mutation that checks the caller's scope itself. @throws as `mutate` does */
export async function mutateIfAllowed<Payload>(
  context: GraphqlContext,
  work: (caller: Caller) => Promise<Payload>,
  failed: Failed<Payload>,
): Promise<Payload> {
  const { caller, loaders } = requireSession(context);
  try {
    return await work(caller);
  } catch (error) {
    if (!isUserError(error)) throw error;
    countShownError(context.tally, error.code);
    return failed(UserErrorView.allOf(error));
  } finally {
    // What follows in the same request must read what was just written.
    loaders.clear();
  }
}
