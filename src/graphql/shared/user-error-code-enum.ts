import { ERROR_STATUSES } from "../../domain/requests/error-status.js";
import { ERROR_MEANINGS } from "../../domain/shared/error-meanings.js";
import { ERROR_CODES, type ErrorCode } from "../../domain/shared/errors.js";
import { createEnum } from "./create-enum.js";

/** Returns the GraphQL name of an error code. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const UserErrorCodeEnum = createEnum<ErrorCode>(
  "UserErrorCode",
  "The code of an error in `userErrors`: one of the REST API's codes, in upper case.",
  Object.fromEntries(
    ERROR_CODES.filter((code) => ERROR_STATUSES[code].isUserError).map((code) => [
      toGraphqlCode(code),
      [code, ERROR_MEANINGS[code].meaning] as const,
    ]),
  ),
);
