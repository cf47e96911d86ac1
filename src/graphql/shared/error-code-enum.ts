import { ERROR_MEANINGS } from "../../domain/shared/error-catalogue.js";
import { ERROR_CODES, type ErrorCode } from "../../domain/shared/errors.js";
import { createEnum } from "./create-enum.js";

/** Returns the GraphQL name of an error code. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const ErrorCodeEnum = createEnum<ErrorCode>(
  "ErrorCode",
  "What went wrong: the error codes of the REST API, in capitals.",
  Object.fromEntries(
    ERROR_CODES.map((code) => [toGraphqlCode(code), [code, ERROR_MEANINGS[code].meaning] as const]),
  ),
);
