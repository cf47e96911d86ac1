import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { DEFAULT_ENVIRONMENT, SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { SITE_NAME_RULE } from "../../domain/site-configs/site-config.js";
import { curlBlock } from "./curl.js";
import { bodilessResponses, errorResponses } from "./errors.js";
import {
  headers,
  LIMITED_HEADERS,
  PAGE_HEADERS,
  READ_CONSISTENCY_PARAMETER,
  REQUEST_ID_PARAMETER,
} from "./headers.js";
import { SITE_CONFIG_CHANGES, VALIDATION_PATHS } from "./site-config-change-operations.js";

const CODES: readonly RestErrorCode[] = [
  "bad_request",
  "invalid_field",
  "unauthenticated",
  "site_config_not_found",
  "version_conflict",
  "rate_limited",
  "internal",
  "unavailable",
];
/** GET accepts a body like `/api/user`, but ignores its contents. */
const GET_CODES = [...CODES, "invalid_json", "payload_too_large", "unsupported_media_type"] as const;
const BASE = [...LIMITED_HEADERS, ...PAGE_HEADERS] as const;
const RESPONSE_HEADERS = [...BASE, "ETag", "Vary", "Site-Config-Revision"] as const;
/** The API key is optional for public sites. */
const security = [{ ApiKey: [] }, {}];
const tags = ["Site configurations"];

const PRECONDITION_PARAMETERS = [
  {
    name: "If-Match",
    in: "header",
    description:
      "An `ETag`, or a revision number in quotes. If the current revision is another one, the reply is 412.",
    schema: { type: "string" },
  },
  {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of your copy. If the copy is current, the reply is 304 without a body.",
    schema: { type: "string" },
  },
] as const;

const OK_RESPONSE = {
  description:
    "The document as stored. Replies with the current revision must be revalidated (`no-cache`), which is cheap with `If-None-Match`. Replies to requests for a certain revision may be cached for a year, those of public sites for five minutes, so that withdrawing a site takes effect.",
  headers: headers(RESPONSE_HEADERS),
} as const;
const NOT_MODIFIED_RESPONSE = {
  description: "Not modified: your copy is current.",
  headers: headers(RESPONSE_HEADERS),
} as const;

/** OpenAPI path items below `/site-config`. */
export const SITE_CONFIG_PATHS = {
  ...VALIDATION_PATHS,
  [`${SITE_CONFIG_PATH}/{site}`]: {
    parameters: [
      {
        name: "site",
        in: "path",
        required: true,
        description: `The site's name. The name of a new site has ${SITE_NAME_RULE}.`,
        schema: { type: "string", minLength: 1, maxLength: 255 },
        example: "docs",
      },
      {
        name: "revision",
        in: "query",
        description: "The revision number. Defaults to the current revision.",
        schema: { type: "integer", minimum: 1 },
      },
      {
        name: "account",
        in: "query",
        description:
          "The name of the account that owns the site. Required for requests without an API key, which can read public sites only. The GraphQL field `publicPath` returns the complete path.",
        schema: { type: "string", minLength: 1, maxLength: 255 },
      },
      {
        name: "environment",
        in: "query",
        description: "The environment of the site. Without `account`, it must be that of the API key.",
        schema: { type: "string", enum: ENVIRONMENTS, default: DEFAULT_ENVIRONMENT },
      },
      REQUEST_ID_PARAMETER,
    ],
    get: {
      operationId: "getSiteConfig",
      tags,
      summary: "Read a site configuration",
      description: [
        "Returns the stored document unchanged. Without `account`, the site is looked up in the account of the API key. With `account`, public sites can be read without an API key. To change a part of a document, restore a revision or make a site public, use GraphQL or the command line.",
        curlBlock("GET", `${SITE_CONFIG_PATH}/docs`),
      ].join("\n\n"),
      security,
      parameters: [...PRECONDITION_PARAMETERS, READ_CONSISTENCY_PARAMETER],
      responses: {
        "200": {
          ...OK_RESPONSE,
          content: {
            "application/json": {
              schema: {
                type: "object",
                additionalProperties: true,
                description: "A site configuration; its JSON Schema is at `/schemas/site-config.json`.",
              },
              examples: {
                document: { value: { name: "Docs", navigation: [{ group: "Start", pages: ["index"] }] } },
              },
            },
          },
        },
        "304": NOT_MODIFIED_RESPONSE,
        ...errorResponses(GET_CODES, BASE),
      },
    },
    head: {
      operationId: "headSiteConfig",
      tags,
      summary: "Read the headers of a site configuration",
      description: "The same as GET, but without the document.",
      security,
      parameters: [...PRECONDITION_PARAMETERS, READ_CONSISTENCY_PARAMETER],
      responses: { "200": OK_RESPONSE, "304": NOT_MODIFIED_RESPONSE, ...bodilessResponses(CODES, BASE) },
    },
    ...SITE_CONFIG_CHANGES,
    options: {
      operationId: "preflightSiteConfig",
      tags,
      summary: "Answer a CORS preflight request",
      description:
        "Answers the preflight request that browsers send before a script of another origin sends `If-None-Match`.",
      security: [],
      responses: {
        "204": {
          description: "Scripts of all origins may read without an API key.",
          headers: headers([
            "X-Request-Id",
            "Cache-Control",
            "Allow",
            ...PAGE_HEADERS,
            "Access-Control-Allow-Methods",
            "Access-Control-Allow-Headers",
            "Access-Control-Max-Age",
          ]),
        },
        ...errorResponses(["bad_request", "not_found"], BASE),
      },
    },
  },
} as const;
