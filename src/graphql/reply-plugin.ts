import type { ApolloServerPlugin } from "@apollo/server";
import { unwrapResolverError } from "@apollo/server/errors";
import { DomainError } from "../domain/errors.js";
import type { GraphqlContext } from "./context.js";
import { headersOf, statusOf } from "./error-format.js";
import type { Logger } from "./logger.js";

/** Logs what went wrong inside, once, and gives a reply without data the HTTP status of its error. */
export function replyPlugin(logger: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart() {
      return {
        async didEncounterErrors({ errors, contextValue: { requestId } }) {
          for (const error of errors) {
            error.extensions["requestId"] = requestId;
            const cause = unwrapResolverError(error);
            const expected =
              cause instanceof DomainError ? cause.code !== "internal" : error.extensions["code"];
            if (!expected) logger.error({ err: cause, requestId }, "request failed");
          }
        },
        async willSendResponse({ response, errors }) {
          if (!errors || response.body.kind !== "single") return;
          const { data } = response.body.singleResult;
          // A request that failed before execution has its status from Apollo.
          if (data === undefined || Object.values(data ?? {}).some((value) => value !== null)) return;
          const cause = errors.map(unwrapResolverError).find((error) => error instanceof DomainError);
          response.http.status = cause ? statusOf(cause) : 500;
          if (cause)
            for (const [name, value] of Object.entries(headersOf(cause)))
              response.http.headers.set(name, value);
        },
      };
    },
  };
}
