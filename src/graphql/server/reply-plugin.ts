import type { ApolloServerPlugin } from "@apollo/server";
import type { GraphQLError } from "graphql";
import { errorHeaders } from "../../domain/requests/error-headers.js";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import type { GraphqlContext } from "../shared/context.js";
import { domainErrorOf, statusOf } from "../shared/error-format.js";
import type { OperationLimits } from "../shared/operation-limits.js";
import { acceptsGraphqlMediaType } from "./error-completion.js";
import { tokenLimitError } from "./limits/token-limit.js";
import type { Logger } from "./logger.js";

const FAULTS_OF_QUERIES = new Set(["GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT"]);

/** Logs what went wrong inside, once, and gives a reply without data the HTTP status of its error. */
export function replyPlugin(logger: Logger, limits: OperationLimits): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation({ operation }) {
          if (operation?.operation !== "subscription") return;
          throw new DomainError(
            "bad_request",
            "A subscription is answered with an event stream: send it by POST with Accept: text/event-stream.",
          );
        },
        async didEncounterErrors({ errors, contextValue: { requestId } }) {
          // Once: an outage fails every field.
          const outage = errors.map(domainErrorOf).find((error) => error?.code === "unavailable");
          if (outage) logger.warn({ requestId, reason: reasonOf(outage) }, "request not served");
          for (const error of errors) {
            error.extensions["requestId"] = requestId;
            // Apollo Server gives some faults of a request their status, but no code.
            if (hasStatus(error, 400)) error.extensions["code"] ??= "BAD_REQUEST";
            if (hasStatus(error, 405)) error.extensions["code"] = "METHOD_NOT_ALLOWED";
            const known = domainErrorOf(error);
            const expected = known ? known.code !== "internal" : error.extensions["code"];
            if (!expected) logger.error({ err: error.originalError ?? error, requestId }, "request failed");
          }
        },
        async willSendResponse({ request, response, errors }) {
          if (!errors || response.body.kind !== "single") return;
          const { data } = response.body.singleResult;
          if (Object.values(data ?? {}).some((value) => value !== null)) return;
          const known = errors.map(domainErrorOf).find((error) => error !== undefined);
          if (known) {
            response.http.status = statusOf(known);
            for (const [name, value] of Object.entries(errorHeaders(known)))
              response.http.headers.set(name, value);
          } else if (data !== undefined) {
            // What failed in execution, unexpectedly, is our fault.
            response.http.status = 500;
          } else if (
            errors.every((error) => isFaultOfQuery(error, limits)) &&
            !acceptsGraphqlMediaType(request.http?.headers.get("accept"))
          ) {
            response.http.status = 200;
          }
        },
      };
    },
  };
}

/** Says whether the query itself is wrong, rather than the request that brings it. */
function isFaultOfQuery(error: GraphQLError, limits: OperationLimits): boolean {
  const { code } = error.extensions;
  if (typeof code !== "string" || !FAULTS_OF_QUERIES.has(code)) return false;
  return tokenLimitError(error, limits.tokens) === undefined;
}

function hasStatus({ extensions: { http } }: GraphQLError, status: number): boolean {
  return isObject(http) && http["status"] === status;
}
