import { ERROR_CODES, ERRORS, type ErrorCode } from "../../domain/shared/error-catalogue.js";
import { createEnum } from "./create-enum.js";

/** Returns the GraphQL name of an error code. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const UserErrorCodeEnum = createEnum<ErrorCode>(
  "UserErrorCode",
  "The code of an error in `userErrors`: one of the REST API's codes, in upper case.",
  Object.fromEntries(
    ERROR_CODES.filter((code) => ERRORS[code].isUserError).map((code) => [
      toGraphqlCode(code),
      [code, ERRORS[code].meaning] as const,
    ]),
  ),
);
