import type { ApolloServerPlugin } from "@apollo/server";
import { DomainError, type ErrorCode } from "../domain/errors.js";
import { rateLimitHeaders } from "../domain/rate-limit-headers.js";
import type { Variables } from "./amount.js";
import type { GraphqlContext } from "./context.js";
import type { OperationLimits } from "./operation-limits.js";
import { measureOperation, type OperationMeasure } from "./operation-measure.js";

/**
 * Refuses an operation that asks for too much before it runs (decision 27), and takes a point for each of its root fields (decision
 * 33): for the first, the context has.
 */
export function limitsPlugin(limits: OperationLimits): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ schema, document, operation, request, response, contextValue }) {
          if (!operation) return;
          const measure = measureOperation(schema, document, operation);
          requireWithin(limits, measure, request.variables ?? {});
          const spending = measure.rootFields > 1 ? contextValue.spend(measure.rootFields - 1) : null;
          if (!spending) return;
          for (const [name, value] of Object.entries(rateLimitHeaders(await spending)))
            response.http.headers.set(name, value);
        },
      };
    },
  };
}

/**
 * Requires that an operation asks for no more than it may; the number of tokens is the parser's to limit.
 * @throws DomainError of the first limit that it exceeds, with the figures
 */
export function requireWithin(
  limits: OperationLimits,
  measure: OperationMeasure,
  variables: Variables,
): void {
  const { depth, aliases, rootFields } = measure;
  if (depth > limits.depth) {
    throw excess("query_too_deep", `is ${depth} levels deep`, depth, limits.depth);
  }
  if (aliases > limits.aliases) {
    throw excess("too_many_aliases", `has ${aliases} aliases`, aliases, limits.aliases);
  }
  if (rootFields > limits.rootFields) {
    throw excess("too_many_root_fields", `has ${rootFields} root fields`, rootFields, limits.rootFields);
  }
  const cost = measure.costFor(variables);
  if (cost > limits.cost) throw excess("query_too_expensive", `costs ${cost}`, cost, limits.cost);
}

function excess(code: ErrorCode, what: string, actual: number, limit: number): DomainError {
  return new DomainError(code, `The query ${what}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`, {
    figures: { limit, actual },
  });
}
