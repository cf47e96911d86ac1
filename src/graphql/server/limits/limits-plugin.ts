import type { ApolloServerPlugin } from "@apollo/server";
import { rateLimitHeaders } from "../../../domain/requests/rate-limit-headers.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { OperationAdmission } from "./operation-admission.js";

/**
 * Refuses an operation that asks for too much, or for what is not the caller's, before it is validated and runs (decision 27), and
 * takes a point for each of its root fields (decision 33): for the first, the context has.
 */
export function limitsPlugin(admission: OperationAdmission): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ document, operation = null, request, response, contextValue }) {
          const { variables = {} } = request;
          const faults = admission.admit(contextValue, { document, operation, variables });
          if (!operation || faults.length > 0) return;
          const { rootFields } = admission.measure(document, operation);
          const spending = rootFields > 1 ? contextValue.spend(rootFields - 1) : null;
          if (!spending) return;
          for (const [name, value] of Object.entries(rateLimitHeaders(await spending)))
            response.http.headers.set(name, value);
        },
      };
    },
  };
}
