import { z } from "zod";
import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { COMPONENTS } from "../../rest/fields.js";
import {
  COMMON_HEADERS,
  errorResponses,
  headerParameter,
  jsonContent,
  response,
} from "../../rest/openapi.js";

const HEALTH = z
  .object({ status: z.literal("ok").meta({ description: "Always `ok`." }) })
  .register(COMPONENTS, { id: "Health" });

const DESCRIPTION_HEADERS = [...COMMON_HEADERS, "ETag", "Access-Control-Allow-Origin"] as const;

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
      "200": response(
        "The check succeeded.",
        COMMON_HEADERS,
        jsonContent(HEALTH, { ok: [{ status: "ok" }] }),
      ),
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
    parameters: [headerParameter("If-None-Match", "The `ETag` of your copy.")],
    responses: {
      "200": response(text, DESCRIPTION_HEADERS, {
        [type]: { schema: { type: "object", additionalProperties: true } },
      }),
      "304": response("Not modified: your copy is current.", DESCRIPTION_HEADERS),
      ...errorResponses(["bad_request"], COMMON_HEADERS),
    },
  };
}
