import { z } from "zod";
import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { COMPONENTS } from "../../rest/fields.js";
import { COMMON_HEADERS, headerParameter, type PathDocumentation, response } from "../../rest/openapi.js";

const HEALTH = z
  .object({ status: z.literal("ok").meta({ description: "Always `ok`." }) })
  .register(COMPONENTS, { id: "Health" });

const DESCRIPTION_HEADERS = [...COMMON_HEADERS, "ETag", "Access-Control-Allow-Origin"] as const;

/** Health checks and API descriptions, which `service-routes.ts` serves. */
export const SERVICE_PATHS: readonly PathDocumentation[] = [
  health("/livez", {
    operationId: "isAlive",
    summary: "Check liveness",
    description: ["Succeeds while the process responds. Use it as the liveness probe."],
    codes: [],
  }),
  health("/readyz", {
    operationId: "isReady",
    summary: "Check readiness",
    description: [
      "Succeeds if the database responds and the service is not shutting down. Use it as the readiness probe.",
    ],
    codes: ["unavailable"],
  }),
  description("/openapi.json", "application/json", {
    operationId: "getOpenApi",
    summary: "Get this document",
    text: "The OpenAPI 3.1 document of this API.",
  }),
  description("/schemas/site-config.json", "application/schema+json", {
    operationId: "getSiteConfigSchema",
    summary: "Get the JSON Schema of site configurations",
    text: "The JSON Schema (2020-12) of site configurations, for completion and validation in editors.",
  }),
];

interface Check {
  readonly operationId: string;
  readonly summary: string;
  readonly description: readonly string[];
  readonly codes: readonly RestErrorCode[];
}

function health(path: string, check: Check): PathDocumentation {
  const reply = { reply: HEALTH, replyDescription: "The check succeeded." };
  const get = { ...check, access: "anyone", ...reply, replyExamples: { ok: [{ status: "ok" }] } } as const;
  return { path, tag: "Health", operations: { get } };
}

function description(
  path: string,
  type: string,
  { text, ...names }: { readonly operationId: string; readonly summary: string; readonly text: string },
): PathDocumentation {
  const content = { [type]: { schema: { type: "object", additionalProperties: true } } };
  const get = {
    ...names,
    description: [text],
    access: "anyone",
    parameters: [headerParameter("If-None-Match", "The `ETag` of your copy.")],
    responses: {
      "200": response(text, DESCRIPTION_HEADERS, content),
      "304": response("Not modified: your copy is current.", DESCRIPTION_HEADERS),
    },
    codes: [],
  } as const;
  return { path, tag: "Descriptions", operations: { get } };
}
