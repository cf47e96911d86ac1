import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { errorResponses } from "./errors.js";
import { COMMON_HEADERS, headers } from "./headers.js";

/** The response body of health checks. */
export const HEALTH_SCHEMA = {
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", const: "ok", description: "Always `ok`." } },
} as const;

const DESCRIPTION_HEADERS = headers([...COMMON_HEADERS, "ETag", "Access-Control-Allow-Origin"]);

/** OpenAPI path items of health checks and API descriptions. */
export const SERVICE_PATHS = {
  "/livez": {
    get: health(
      "isAlive",
      "Check liveness",
      "Succeeds while the process responds. Use it as the liveness probe.",
      [],
    ),
  },
  "/readyz": {
    get: health(
      "isReady",
      "Check readiness",
      "Succeeds if the database responds and the service is not shutting down. Use it as the readiness probe.",
      ["unavailable"],
    ),
  },
  "/openapi.json": {
    get: description(
      "getOpenApi",
      "Get this document",
      "application/json",
      "The OpenAPI 3.1 document of this API.",
    ),
  },
  "/schemas/site-config.json": {
    get: description(
      "getSiteConfigSchema",
      "Get the JSON Schema of site configurations",
      "application/schema+json",
      "The JSON Schema (2020-12) of site configurations, for completion and validation in editors.",
    ),
  },
} as const;

function health(operationId: string, summary: string, text: string, codes: readonly RestErrorCode[]) {
  return {
    operationId,
    tags: ["Health"],
    summary,
    description: text,
    security: [],
    responses: {
      "200": {
        description: "The check succeeded.",
        headers: headers(COMMON_HEADERS),
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Health" },
            examples: { ok: { value: { status: "ok" } } },
          },
        },
      },
      ...errorResponses(["bad_request", ...codes], COMMON_HEADERS),
    },
  };
}

function description(operationId: string, summary: string, type: string, text: string) {
  return {
    operationId,
    tags: ["Descriptions"],
    summary,
    description: text,
    security: [],
    parameters: [
      {
        name: "If-None-Match",
        in: "header",
        description: "The `ETag` of your copy.",
        schema: { type: "string" },
      },
    ],
    responses: {
      "200": {
        description: text,
        headers: DESCRIPTION_HEADERS,
        content: { [type]: { schema: { type: "object", additionalProperties: true } } },
      },
      "304": { description: "Not modified: your copy is current.", headers: DESCRIPTION_HEADERS },
      ...errorResponses(["bad_request"], COMMON_HEADERS),
    },
  };
}
