import { ApolloServerErrorCode } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { internalError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import { toGraphqlCode } from "../shared/error-format.js";
import { tokenLimitError } from "./limits/admission.js";

/** Formats an error that Apollo Server itself raised; `route.ts` adds the request ID. */
export function formatApolloError(
  formatted: GraphQLFormattedError,
  error: unknown,
  maxTokens: number,
): GraphQLFormattedError {
  const { extensions, ...rest } = formatted;
  const known = tokenLimitError(error, maxTokens);
  if (known) {
    const code = toGraphqlCode(known.code);
    return { ...rest, message: known.message, extensions: { code, ...known.details } };
  }
  const code = codeOf(error) ?? extensions?.["code"];
  if (code === ApolloServerErrorCode.INTERNAL_SERVER_ERROR) {
    const { code: internal, message } = internalError(error);
    return { ...rest, message, extensions: { code: toGraphqlCode(internal) } };
  }
  // The message may quote a secret from the request.
  return { ...rest, message: redactSecrets(formatted.message), extensions: { ...extensions, code } };
}

/** Returns the code for errors to which Apollo Server gives only a status, or a code that differs from this API's. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const { http, code } = error.extensions;
  const status = isObject(http) ? http["status"] : undefined;
  if (status === 405) return "METHOD_NOT_ALLOWED";
  return status === 400 && code === undefined ? ApolloServerErrorCode.BAD_REQUEST : undefined;
}
