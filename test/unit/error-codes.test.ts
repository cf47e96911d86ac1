import { describe, expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../src/domain/shared/error-catalogue.js";
import { DomainError } from "../../src/domain/shared/errors.js";
import { renderGraphqlError } from "../../src/graphql/shared/error-format.js";
import { renderError } from "../../src/rest/errors.js";
import { placesOf } from "../support/errors/provocations.js";

/** Decision 4, and the codes that GraphQL adds. */
const STATUSES: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  invalid_json: 400,
  invalid_field: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  user_group_not_found: 404,
  data_source_not_found: 404,
  api_key_not_found: 404,
  site_config_not_found: 404,
  webhook_endpoint_not_found: 404,
  webhook_delivery_not_found: 404,
  method_not_allowed: 405,
  user_group_mismatch: 409,
  user_group_exists: 409,
  data_source_exists: 409,
  data_source_in_use: 409,
  version_conflict: 412,
  invalid_site_config: 422,
  idempotency_mismatch: 422,
  idempotency_key_in_use: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unknown_data_source: 422,
  batch_rejected: 422,
  rate_limited: 429,
  slow_consumer: 503,
  query_too_deep: 400,
  too_many_aliases: 400,
  too_many_root_fields: 400,
  too_many_tokens: 400,
  query_too_expensive: 400,
  query_not_allowed: 400,
  batching_disabled: 400,
  internal: 500,
  unavailable: 503,
};

describe.each(ERROR_CODES)("%s", (code) => {
  const error = new DomainError(code, "must be so", {
    field: ["providedId", "x"],
    retryAfter: 7,
    details: { limit: 1, actual: 2 },
  });
  const message = code === "invalid_field" ? expect.stringContaining("must be so.") : "must be so";

  test("is rendered by REST", () => {
    const { status, body } = renderError(error, "id");
    expect(status).toBe(STATUSES[code]);
    expect(body).toEqual({
      success: 0,
      error: {
        code,
        message,
        field: "user_group_id.x",
        fields: [{ field: "user_group_id.x", message }],
        request_id: "id",
      },
    });
  });

  test("is rendered by GraphQL", () => {
    const { status, body } = renderGraphqlError(error, "id");
    expect(status).toBe(placesOf(code).includes("userErrors") ? 400 : STATUSES[code]);
    expect(body).toEqual({
      errors: [
        {
          message,
          extensions: {
            code: code.toUpperCase(),
            field: ["providedId", "x"],
            retryAfter: 7,
            limit: 1,
            actual: 2,
            requestId: "id",
          },
        },
      ],
    });
  });
});

test("errors carry the headers they need", () => {
  for (const render of [renderError, renderGraphqlError]) {
    expect(render(new DomainError("unavailable", "m", { retryAfter: 2 }), "id").headers).toEqual({
      "retry-after": "2",
    });
    expect(render(new DomainError("rate_limited", "m", { retryAfter: 9 }), "id").headers).toEqual({
      "retry-after": "9",
    });
    expect(render(new DomainError("unauthenticated", "m"), "id").headers).toEqual({
      "www-authenticate": 'Token realm="user-groups"',
    });
  }
});
