import type { Admin, Caller, Writer } from "../../domain/accounts/caller.js";
import { requireAdmin, requireWrite } from "../../domain/accounts/scopes.js";
import type { Services } from "../../services/services.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { isUserError } from "./error-format.js";
import { countError } from "./error-metrics.js";
import type { PayloadType, PayloadValues } from "./payload.js";
import { UserErrorView } from "./user-error-type.js";

type Work<Principal, Values extends object> = (
  principal: Principal,
  services: Services,
) => Promise<PayloadValues<Values>>;

/**
 * Runs a mutation that requires write scope; user errors are returned in the payload.
 * @throws DomainError `unauthenticated`, `forbidden` and all other errors that are not user errors
 */
export async function mutate<Values extends object>(
  context: GraphqlContext,
  payload: PayloadType<Values>,
  work: Work<Writer, Values>,
): Promise<object> {
  return mutateIfAllowed(context, payload, (caller, services) => work(requireWrite(caller), services));
}

/** Runs a mutation that requires admin scope. @throws like `mutate` */
export async function mutateAsAdmin<Values extends object>(
  context: GraphqlContext,
  payload: PayloadType<Values>,
  work: Work<Admin, Values>,
): Promise<object> {
  return mutateIfAllowed(context, payload, (caller, services) => work(requireAdmin(caller), services));
}

/** Runs a mutation that checks the caller's scope itself. @throws like `mutate` */
export async function mutateIfAllowed<Values extends object>(
  context: GraphqlContext,
  Payload: PayloadType<Values>,
  work: Work<Caller, Values>,
): Promise<object> {
  const { caller, loaders } = requireSession(context);
  try {
    return new Payload(await work(caller, context.services));
  } catch (error) {
    if (!isUserError(error)) throw error;
    countError(context.metrics, error.code);
    return new Payload(null, UserErrorView.allOf(error));
  } finally {
    // Later fields of the same request must not read cached values from before this write.
    loaders.clear();
  }
}
