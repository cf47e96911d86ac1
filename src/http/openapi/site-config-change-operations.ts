import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { SITE_CONFIG_CODES } from "../../domain/site-configs/findings.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { SUCCESS } from "../../rest/openapi-replies.js";
import { curlBlock } from "./curl.js";
import { errorResponses } from "./errors.js";
import { headers, LIMITED_HEADERS, REQUEST_ID_PARAMETER } from "./headers.js";

const TAGS = ["Site configurations"];
const EXAMPLE = { name: "Docs", navigation: [{ group: "Start", pages: ["index"] }] };

const CODES = [
  "bad_request",
  "invalid_json",
  "invalid_field",
  "unauthenticated",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "unavailable",
] as const satisfies readonly RestErrorCode[];
const CHANGE_CODES = [...CODES, "forbidden", "version_conflict"] as const;

const STRICT_PARAMETER = {
  name: "strict",
  in: "query",
  description: "Treats warnings as errors. `?strict` without a value is `true`.",
  allowEmptyValue: true,
  schema: { type: "string", enum: ["", "true", "false"], default: "false" },
} as const;

const PRECONDITION_PARAMETERS = [
  {
    name: "If-Match",
    in: "header",
    description:
      'The `ETag` of your copy, or the revision number in quotes, such as `"3"`. The request fails with 412 if the site has changed since. `*` requires only that the site exists.',
    schema: { type: "string" },
  },
  {
    name: "If-None-Match",
    in: "header",
    description: "`*` requires that the site does not exist.",
    schema: { type: "string", enum: ["*"] },
  },
] as const;

const DOCUMENT_BODY = {
  required: true,
  description:
    "The text of the file, at most 256 KiB, which is stored unchanged. Findings refer to its lines and columns.",
  content: {
    "application/json": { schema: { type: "object" }, examples: { document: { value: EXAMPLE } } },
    "text/plain": { schema: { type: "string" } },
  },
} as const;

const FINDINGS = {
  type: "array",
  items: {
    type: "object",
    required: ["code", "pointer", "message"],
    properties: {
      code: { type: "string", enum: Object.keys(SITE_CONFIG_CODES) },
      pointer: { type: "string", description: "The location as a JSON Pointer." },
      message: { type: "string", description: "An explanation for humans." },
      line: { type: "integer", minimum: 1 },
      column: { type: "integer", minimum: 1 },
      count: {
        type: "integer",
        minimum: 2,
        description: "The number of places, if more than one; the location is the first.",
      },
    },
  },
} as const;

/** The findings of a validation. */
const SITE_CONFIG_REPORT_SCHEMA = {
  type: "object",
  required: ["valid", "errors", "warnings", "notices"],
  properties: {
    valid: { type: "boolean", description: "Indicates whether there are no errors." },
    errors: { ...FINDINGS, description: "What makes the file unusable." },
    warnings: { ...FINDINGS, description: "What you should fix; `strict` treats them as errors." },
    notices: { ...FINDINGS, description: "Properties that are valid, but not part of this format." },
  },
} as const;

const REPORT = {
  $ref: "#/components/schemas/SiteConfigReport",
  description: "The findings of the validation.",
} as const;
const NO_FINDINGS = { valid: true, errors: [], warnings: [], notices: [] };

/** Replies of the operations below, and the error reply with a report. */
export const SITE_CONFIG_SCHEMAS = {
  SiteConfigReport: SITE_CONFIG_REPORT_SCHEMA,
  SiteConfigValidation: {
    type: "object",
    required: ["success", "report"],
    properties: { ...SUCCESS, report: REPORT },
  },
  SiteConfigStored: {
    type: "object",
    required: ["success", "site", "revision", "report"],
    properties: {
      ...SUCCESS,
      site: { type: "string", description: "The name of the site." },
      revision: { type: "integer", minimum: 1, description: "The number of the stored revision." },
      report: REPORT,
    },
  },
  SiteConfigDeleted: { type: "object", required: ["success"], properties: SUCCESS },
  SiteConfigRefusal: {
    allOf: [
      { $ref: "#/components/schemas/Error" },
      { type: "object", required: ["report"], properties: { report: REPORT } },
    ],
  },
} as const;

const [, INVALID] = Object.entries(errorResponses(["invalid_site_config"], LIMITED_HEADERS))[0] ?? [];

/** `POST /site-config/validate`. */
export const VALIDATION_PATHS = {
  [`${SITE_CONFIG_PATH}/validate`]: {
    parameters: [REQUEST_ID_PARAMETER],
    post: {
      operationId: "validateSiteConfig",
      tags: TAGS,
      summary: "Validate a site configuration",
      description: [
        "Validates the text of a file without storing it. The status is 200 whether or not it is valid: see `report.valid`.",
        curlBlock("POST", `${SITE_CONFIG_PATH}/validate`, EXAMPLE),
      ].join("\n\n"),
      parameters: [STRICT_PARAMETER],
      requestBody: DOCUMENT_BODY,
      responses: {
        "200": response("The findings.", "SiteConfigValidation", { success: 1, report: NO_FINDINGS }),
        ...errorResponses(CODES, LIMITED_HEADERS),
      },
    },
  },
} as const;

/** Changes of `/site-config/{site}`. */
export const SITE_CONFIG_CHANGES = {
  put: {
    operationId: "putSiteConfig",
    tags: TAGS,
    summary: "Store a site configuration",
    description: [
      "Stores the text of a file as the next revision of the site, which is created if it does not exist. A file with errors is not stored. Requires an API key with write scope.",
      curlBlock("PUT", `${SITE_CONFIG_PATH}/docs`, EXAMPLE),
    ].join("\n\n"),
    parameters: [STRICT_PARAMETER, ...PRECONDITION_PARAMETERS],
    requestBody: DOCUMENT_BODY,
    responses: {
      "200": {
        ...response("The new revision, with warnings and notices.", "SiteConfigStored", {
          success: 1,
          site: "docs",
          revision: 1,
          report: NO_FINDINGS,
        }),
        headers: headers([...LIMITED_HEADERS, "ETag", "Site-Config-Revision"]),
      },
      ...errorResponses(CHANGE_CODES, LIMITED_HEADERS),
      "422": {
        ...INVALID,
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/SiteConfigRefusal" },
            examples: {
              invalid_site_config: {
                value: {
                  success: 0,
                  error: {
                    code: "invalid_site_config",
                    message: "The site configuration has errors.",
                    field: "body",
                    fields: [{ field: "body", message: "The site configuration has errors." }],
                    request_id: "0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55",
                  },
                  report: {
                    ...NO_FINDINGS,
                    valid: false,
                    errors: [
                      {
                        code: "missing_property",
                        pointer: "",
                        message: '"name" is missing; it is required.',
                        line: 1,
                        column: 1,
                      },
                    ],
                  },
                },
              },
            },
          },
        },
      },
    },
  },
  delete: {
    operationId: "deleteSiteConfig",
    tags: TAGS,
    summary: "Delete a site configuration",
    description:
      "Deletes a site. Its revisions stay stored: if the site is created again, they are part of its history, and its revision numbers continue. Requires an API key with write scope.",
    parameters: PRECONDITION_PARAMETERS,
    responses: {
      "200": response("The site was deleted.", "SiteConfigDeleted", { success: 1 }),
      ...errorResponses([...CHANGE_CODES, "site_config_not_found"], LIMITED_HEADERS),
    },
  },
} as const;

function response(description: string, schema: keyof typeof SITE_CONFIG_SCHEMAS, value: object) {
  return {
    description,
    headers: headers(LIMITED_HEADERS),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${schema}` },
        examples: { success: { value } },
      },
    },
  };
}
