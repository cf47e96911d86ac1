import { type DocumentedCode, errorResponses } from "./errors.js";
import { COMMON_HEADERS, headers } from "./headers.js";

/** The response body of health checks. */
export const HEALTH_SCHEMA = {
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", const: "ok" } },
} as const;

const DESCRIPTION_HEADERS = headers([...COMMON_HEADERS, "ETag", "Access-Control-Allow-Origin"]);

/** OpenAPI path items of health checks and API descriptions. */
export const SERVICE_PATHS = {
  "/livez": {
    get: health("isAlive", "Does the process answer?", "For a check that restarts a process that hangs.", []),
  },
  "/readyz": {
    get: health(
      "isReady",
      "May requests come?",
      "For balancers: the database answers, and the service is not about to end.",
      ["unavailable"],
    ),
  },
  "/openapi.json": {
    get: description("getOpenApi", "This document", "application/json", "An OpenAPI 3.1 document."),
  },
  "/schemas/site-config.json": {
    get: description(
      "getSiteConfigSchema",
      "The JSON Schema of site configurations",
      "application/schema+json",
      "A JSON Schema 2020-12, by which editors complete and check the file.",
    ),
  },
} as const;

function health(operationId: string, summary: string, text: string, codes: readonly DocumentedCode[]) {
  return {
    operationId,
    tags: ["Health"],
    summary,
    description: text,
    security: [],
    responses: {
      "200": {
        description: "Yes.",
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
        description: "The `ETag` of what you have.",
        schema: { type: "string" },
      },
    ],
    responses: {
      "200": {
        description: text,
        headers: DESCRIPTION_HEADERS,
        content: { [type]: { schema: { type: "object", additionalProperties: true } } },
      },
      "304": { description: "It is what `If-None-Match` names.", headers: DESCRIPTION_HEADERS },
      ...errorResponses(["bad_request"], COMMON_HEADERS),
    },
  };
}
