import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../src/domain/shared/error-catalogue.js";
import { DomainError } from "../../src/domain/shared/errors.js";
import { renderGraphqlError } from "../../src/graphql/shared/error-format.js";
import { renderError } from "../../src/rest/errors.js";
import { placesOf } from "../support/errors/provocations.js";

/** Decision 4, and the codes that GraphQL adds. */
const CODES: Readonly<Record<number, string>> = {
  400: "bad_request invalid_json invalid_field query_too_deep too_many_aliases too_many_root_fields too_many_tokens query_too_expensive query_not_allowed batching_disabled",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found user_group_not_found data_source_not_found api_key_not_found site_config_not_found webhook_endpoint_not_found webhook_delivery_not_found",
  405: "method_not_allowed",
  409: "user_group_mismatch user_group_exists data_source_exists data_source_in_use idempotency_key_in_use",
  412: "version_conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "invalid_site_config idempotency_mismatch unknown_data_source batch_rejected",
  429: "rate_limited",
  500: "internal",
  503: "slow_consumer unavailable",
};
const statusOf = (code: string) =>
  Number(Object.entries(CODES).find(([, codes]) => codes.split(" ").includes(code))?.[0]);

describe.each(ERROR_CODES)("%s", (code) => {
  const error = new DomainError(code, "must be so", {
    field: ["providedId", "x"],
    retryAfter: 7,
    details: { limit: 1, actual: 2 },
  });
  const message = code === "invalid_field" ? expect.stringContaining("must be so.") : "must be so";

  test("is rendered by REST", () => {
    const { status, body } = renderError(error, "id");
    expect(status).toBe(statusOf(code));
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
    expect(status).toBe(placesOf(code).includes("userErrors") ? 400 : statusOf(code));
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
