import { registerEnumType } from "type-graphql";
import { ERROR_MEANINGS } from "../../domain/shared/error-catalogue.js";
import { ERROR_CODES, type ErrorCode } from "../../domain/shared/errors.js";

/** The name that GraphQL gives an error code of the REST API. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const ErrorCodeEnum: Readonly<Record<string, ErrorCode>> = Object.fromEntries(
  ERROR_CODES.map((code) => [toGraphqlCode(code), code]),
);

registerEnumType(ErrorCodeEnum, {
  name: "ErrorCode",
  description: "What went wrong: the error codes of the REST API, in capitals.",
  valuesConfig: Object.fromEntries(
    ERROR_CODES.map((code) => [toGraphqlCode(code), { description: ERROR_MEANINGS[code].meaning }]),
  ),
});
