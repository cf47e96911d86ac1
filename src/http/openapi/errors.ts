import { ERRORS, type RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { type HeaderName, headers } from "./headers.js";

const ERROR_HEADERS: Partial<Readonly<Record<RestErrorCode, HeaderName>>> = {
  unauthenticated: "WWW-Authenticate",
  rate_limited: "Retry-After",
  unavailable: "Retry-After",
  idempotency_key_in_use: "Retry-After",
};

/**
 * Returns the error responses of an operation by status, with an example for each code.
 * @param base headers of all responses
 */
export function errorResponses(codes: readonly RestErrorCode[], base: readonly HeaderName[]) {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      errorResponse(
        codes.filter((code) => ERRORS[code].status === status),
        base,
      ),
    ]),
  );
}

/** Returns the same responses without a body, for HEAD. */
export function bodilessResponses(codes: readonly RestErrorCode[], base: readonly HeaderName[]) {
  const responses = Object.entries(errorResponses(codes, base));
  return Object.fromEntries(responses.map(([status, { content: _, ...response }]) => [status, response]));
}

function errorResponse(codes: readonly RestErrorCode[], base: readonly HeaderName[]) {
  const errorHeaders = codes.flatMap((code) => ERROR_HEADERS[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].rest.when}.`).join("\n\n"),
    headers: headers([...base, ...errorHeaders]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: RestErrorCode) {
  const { message, field } = ERRORS[code].rest;
  const place = field === undefined ? {} : { field, fields: [{ field, message }] };
  const error = { code, message, ...place, request_id: "0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55" };
  return { success: 0, error };
}
