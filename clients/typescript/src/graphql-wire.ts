import { createApiError } from "./api-error.js";
import { type ApiError, type ApiErrorDetails, UnexpectedReplyError, type UserError } from "./errors.js";
import type { HttpReply } from "./http-transport.js";
import { isJsonObject, parseReply, responseInfoOf, unexpectedReply } from "./reply.js";
import type { ResponseInfo } from "./response.js";

/** Returns the data of a reply. @throws ApiError if it has errors, UnexpectedReplyError */
export function readData<Result>(reply: HttpReply): Result {
  const body: unknown = parseReply(reply);
  const error = readFirstError(body, reply);
  if (error) throw error;
  if (reply.status === 200 && hasData<Result>(body)) return body.data;
  throw unexpectedReply(reply, "is not from the user group service");
}

/** Returns the first entry of `errors`. */
export function readFirstError(
  result: unknown,
  reply: Pick<HttpReply, "status" | "headers">,
): ApiError | undefined {
  const errors = isJsonObject(result) ? result["errors"] : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  const [first]: readonly unknown[] = errors;
  const { message, extensions } = isJsonObject(first) ? first : {};
  const { code, field, requestId, retryAfter } = isJsonObject(extensions) ? extensions : {};
  const response = responseInfoOf(reply);
  return createApiError({
    ...response,
    code: typeof code === "string" ? code.toLowerCase() : "internal",
    message: typeof message === "string" ? message : "The service returned an error without a message.",
    field: Array.isArray(field) ? field.join(".") : undefined,
    requestId: typeof requestId === "string" ? requestId : response.requestId,
    retryAfter: typeof retryAfter === "number" ? retryAfter : response.retryAfter,
  });
}

/** Returns the error that `userErrors` stand for; undefined if there are none. */
export function errorOf(userErrors: readonly UserError[], response: ResponseInfo): ApiError | undefined {
  const [first] = userErrors;
  return first && createApiError(detailsOf(first, userErrors, response));
}

/** @throws ApiError if a mutation has `userErrors` */
export function requireSuccess(userErrors: readonly UserError[], response: ResponseInfo): void {
  const error = errorOf(userErrors, response);
  if (error) throw error;
}

/** Returns a field of a mutation's result. @throws ApiError if it has `userErrors` */
export function requireValue<
  Payload extends { readonly userErrors: readonly UserError[] },
  Name extends keyof Payload,
>(payload: Payload, name: Name, response: ResponseInfo): NonNullable<Payload[Name]> {
  requireSuccess(payload.userErrors, response);
  const value = payload[name];
  if (value !== null && value !== undefined) return value;
  throw new UnexpectedReplyError("The reply contains neither a result nor an error.", response);
}

/** Returns the error details of the first entry of `userErrors`. */
export function detailsOf(
  first: UserError,
  userErrors: readonly UserError[],
  response: ResponseInfo,
): ApiErrorDetails {
  const { code, message, field } = first;
  const fields = userErrors.flatMap((error) =>
    error.field ? [{ field: error.field.join("."), message: error.message }] : [],
  );
  const details = { code: code.toLowerCase(), message, field: field?.join("."), fields };
  return { ...response, ...details, userErrors };
}

/** Narrows to the document's types, which are generated from the service's schema. */
export function hasData<Result>(body: unknown): body is { readonly data: Result } {
  return isJsonObject(body) && isJsonObject(body["data"]);
}
