import { ERROR_MEANINGS } from "../../domain/shared/error-meanings.js";
import { ERROR_CODES, type ErrorCode } from "../../domain/shared/errors.js";
import { createEnum } from "./create-enum.js";

/** Returns the GraphQL name of an error code. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const ErrorCodeEnum = createEnum<ErrorCode>(
  "ErrorCode",
  "An error code: one of the REST API's codes, in upper case.",
  Object.fromEntries(
    ERROR_CODES.map((code) => [toGraphqlCode(code), [code, ERROR_MEANINGS[code].meaning] as const]),
  ),
);
