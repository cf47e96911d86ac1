import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rateLimitHeaders } from "../../domain/requests/rate-limit.js";
import type { RestErrorCode } from "../../domain/shared/error-catalogue.js";
import { parseText } from "../../domain/shared/text-field.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { SITE_NAME_RULE } from "../../domain/site-configs/site-config.js";
import { BODY_LIMIT } from "../../rest/authenticated-routes.js";
import { parseIfMatch, readKnownHashes, toEntityTag } from "../../rest/entity-tag.js";
import { parse } from "../../rest/fields.js";
import {
  COMMON_HEADERS,
  curlBlock,
  errorResponses,
  headerParameter,
  LIMITED_HEADERS,
  PAGE_HEADERS,
  REQUEST_ID_PARAMETER,
  response,
} from "../../rest/openapi.js";
import type { Services } from "../../services/services.js";
import {
  EXAMPLE,
  registerSiteConfigChangeRoutes,
  requireMatch,
  SITE_CONFIG_CHANGES,
  TAGS,
  VALIDATION_PATHS,
} from "./change-routes.js";
import { findOwner, READ_QUERY, SITE_PARAMETERS, type SiteRequest } from "./request.js";

const DAY_S = 86_400;
/** Cache-Control of replies to requests for a certain revision, which never changes. */
const CACHED = { private: "private, max-age=31536000, immutable", public: "public, max-age=300" } as const;
const READ_METHODS = ["GET", "HEAD"];
const METHODS = [...READ_METHODS, "PUT", "DELETE", "OPTIONS"];
const SITE_PATHS = [`${SITE_CONFIG_PATH}/:site`, `${SITE_CONFIG_PATH}/:site/`];

/** Any origin may read: without an API key, only public sites are served. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, site-config-revision",
};

/** Without Authorization, because pages must not hold API keys. */
const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "access-control-allow-methods": READ_METHODS.join(", "),
  "access-control-allow-headers": "if-none-match",
  "access-control-max-age": DAY_S,
};

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

const PARAMETERS = [
  headerParameter(
    "If-Match",
    "Entity tags, each an `ETag` or a revision number in quotes. If none is that of the current revision, the reply is 412.",
  ),
  headerParameter(
    "If-None-Match",
    "The `ETag` of your copy. If the copy is current, the reply is 304 without a body.",
  ),
];

const OK =
  "The document as stored. Replies with the current revision must be revalidated (`no-cache`), which is cheap with `If-None-Match`. Replies to requests for a certain revision may be cached for a year, those of public sites for five minutes, so that withdrawing a site takes effect.";
const NOT_MODIFIED = response("Not modified: your copy is current.", RESPONSE_HEADERS);
const DOCUMENT = {
  schema: {
    type: "object",
    additionalProperties: true,
    description: "A site configuration; its JSON Schema is at `/schemas/site-config.json`.",
  },
  examples: { document: { value: EXAMPLE } },
};

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
      ...SITE_PARAMETERS,
      REQUEST_ID_PARAMETER,
    ],
    get: {
      operationId: "getSiteConfig",
      tags: TAGS,
      summary: "Read a site configuration",
      description: [
        "Returns the stored document unchanged. Without `account`, the site is looked up in the account of the API key. With `account`, public sites can be read without an API key. To change a part of a document, restore a revision or make a site public, use GraphQL or the command line.",
        curlBlock("GET", `${SITE_CONFIG_PATH}/docs`),
      ].join("\n\n"),
      security,
      parameters: PARAMETERS,
      responses: {
        "200": response(OK, RESPONSE_HEADERS, { "application/json": DOCUMENT }),
        "304": NOT_MODIFIED,
        ...errorResponses(GET_CODES, BASE),
      },
    },
    head: {
      operationId: "headSiteConfig",
      tags: TAGS,
      summary: "Read the headers of a site configuration",
      description: "The same as GET, but without the document.",
      security,
      parameters: PARAMETERS,
      responses: {
        "200": response(OK, RESPONSE_HEADERS),
        "304": NOT_MODIFIED,
        ...Object.fromEntries(
          Object.entries(errorResponses(CODES, BASE)).map(([status, { content: _, ...head }]) => [
            status,
            head,
          ]),
        ),
      },
    },
    ...SITE_CONFIG_CHANGES,
    options: {
      operationId: "preflightSiteConfig",
      tags: TAGS,
      summary: "Answer a CORS preflight request",
      description:
        "Answers the preflight request that browsers send before a script of another origin sends `If-None-Match`.",
      security: [],
      responses: {
        "204": response("Scripts of all origins may read without an API key.", [
          ...COMMON_HEADERS,
          "Allow",
          ...PAGE_HEADERS,
          "Access-Control-Allow-Methods",
          "Access-Control-Allow-Headers",
          "Access-Control-Max-Age",
        ]),
        ...errorResponses(["bad_request", "not_found"], BASE),
      },
    },
  },
};

/**
 * Registers `/site-config/:site`, which serves the stored document unchanged: to holders of an API key, and public sites to anyone who
 * names the account. PUT and DELETE change a site.
 */
export function registerSiteConfigRoutes(app: FastifyInstance, services: Services): void {
  const { access, rateLimits, siteConfigReader } = services;
  const serve = async (request: FastifyRequest<SiteRequest>, reply: FastifyReply) => {
    const { id: requestId, ip: address, deadline } = request;
    const { authorization } = request.headers;
    const caller =
      authorization === undefined
        ? null
        : await access.authenticate(authorization, { requestId, address, deadline });
    request.tenant = caller;
    const spender = caller ? ({ kind: "caller", caller } as const) : ({ kind: "address", address } as const);
    const spending = rateLimits.spend(spender, 1);
    if (spending) reply.headers(rateLimitHeaders(await spending));
    const { revision: requested = null, ...query } = parse(READ_QUERY, request.query);
    const owner = findOwner(query, caller);
    const servedRequest = {
      site: parseText(request.params.site, ["site"]),
      revision: requested,
      knownHashes: readKnownHashes(request.headers["if-none-match"]),
    };
    const { revision, hash, text } = await (owner.kind === "caller"
      ? siteConfigReader.serve(owner.caller, servedRequest)
      : siteConfigReader.servePublic(owner, servedRequest, deadline));
    requireMatch(parseIfMatch(request.headers["if-match"] ?? "*"), { revision, hash });
    const visibility = owner.kind === "caller" ? "private" : "public";
    reply
      // The current revision changes, and a public site may be withdrawn.
      .header("cache-control", requested === null ? `${visibility}, no-cache` : CACHED[visibility])
      .header("etag", toEntityTag(hash))
      .header("vary", "authorization")
      .header("site-config-revision", revision);
    return text === null ? reply.code(304).send() : reply.type("application/json; charset=utf-8").send(text);
  };

  registerSiteConfigChangeRoutes(app, services, SITE_PATHS);
  for (const url of SITE_PATHS) {
    app.route<SiteRequest>({
      method: READ_METHODS,
      url,
      bodyLimit: BODY_LIMIT,
      onSend: addCorsHeaders,
      handler: serve,
    });
    // Before the body is read.
    app.route({ method: "OPTIONS", url, onRequest: answerPreflight, handler: answerPreflight });
  }
}

/** In onSend, so that pages can read errors, too. */
async function addCorsHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.authorization === undefined) reply.headers(CORS_HEADERS);
}

async function answerPreflight(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers(PREFLIGHT_HEADERS).header("allow", METHODS.join(", ")).send();
}
