import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Caller, Tenant } from "../domain/accounts/caller.js";
import type { Environment } from "../domain/accounts/environment.js";
import { requireWrite } from "../domain/accounts/scopes.js";
import { credentialsError } from "../domain/authentication/authorization.js";
import { ERRORS } from "../domain/shared/error-catalogue.js";
import { DomainError, invalidField } from "../domain/shared/errors.js";
import { DEFAULT_ENVIRONMENT, SITE_CONFIG_PATH } from "../domain/site-configs/site-address.js";
import { MAX_SITE_CONFIG_BYTES, requireSize } from "../domain/site-configs/site-config.js";
import type { Services } from "../services/services.js";
import { parseIfMatch, parsePrecondition, readKnownHashes, toEntityTag } from "./entity-tag.js";
import { parse } from "./fields.js";
import {
  COMMON_HEADERS,
  curlBlock,
  errorExample,
  headerParameter,
  jsonContent,
  LIMITED_HEADERS,
  PAGE_HEADERS,
  response,
} from "./openapi.js";
import type { OpenRequest, RestPath } from "./operations.js";
import {
  DELETED,
  DELETION_QUERY,
  EXAMPLE,
  NO_FINDINGS,
  PUT_QUERY,
  READ_QUERY,
  REFUSAL,
  REFUSED,
  SITE,
  STORED,
  VALIDATION,
  VALIDATION_QUERY,
} from "./site-config-schemas.js";

const VALIDATION_PATH = `${SITE_CONFIG_PATH}/validate`;
const TAG = "Site configurations";
const DAY_S = 86_400;
/** Cache-Control of replies to requests for a certain revision, which never changes. */
const CACHED = { private: "private, max-age=31536000, immutable", public: "public, max-age=300" } as const;

/** Any origin may read: without an API key, only public sites are served. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, site-config-revision",
};

/** Without Authorization, because pages must not hold API keys. */
const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  allow: "GET, HEAD, PUT, DELETE, OPTIONS",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "if-none-match",
  "access-control-max-age": DAY_S,
};

const TEXT = {
  description:
    "The text of the file, at most 256 KiB, which is stored unchanged. Findings refer to its lines and columns.",
  maxBytes: MAX_SITE_CONFIG_BYTES,
  example: EXAMPLE,
};

const PRECONDITIONS = [
  headerParameter(
    "If-Match",
    'The `ETag` of your copy, or the revision number in quotes, such as `"3"`; or a list of them. The request fails with 412 if the site has changed since. `*` requires only that the site exists.',
  ),
  headerParameter("If-None-Match", "`*` requires that the site does not exist.", { enum: ["*"] }),
];

const READ_HEADERS = [...LIMITED_HEADERS, ...PAGE_HEADERS, "ETag", "Vary", "Site-Config-Revision"] as const;
const OK =
  "The document as stored. Replies with the current revision must be revalidated (`no-cache`), which is cheap with `If-None-Match`. Replies to requests for a certain revision may be cached for a year, those of public sites for five minutes, so that withdrawing a site takes effect.";
const DOCUMENT = {
  schema: {
    type: "object",
    additionalProperties: true,
    description: "A site configuration; its JSON Schema is at `/schemas/site-config.json`.",
  },
  examples: { document: { value: EXAMPLE } },
};

/** What GET and HEAD share. */
const READ = {
  access: "optionalKey",
  ignoresBody: true,
  query: READ_QUERY,
  parameters: [
    headerParameter(
      "If-Match",
      "Entity tags, each an `ETag` or a revision number in quotes. If none is that of the current revision, the reply is 412.",
    ),
    headerParameter(
      "If-None-Match",
      "The `ETag` of your copy. If the copy is current, the reply is 304 without a body.",
    ),
  ],
  headers: PAGE_HEADERS,
  responses: {
    "200": response(OK, READ_HEADERS, { "application/json": DOCUMENT }),
    "304": response("Not modified: your copy is current.", READ_HEADERS),
  },
  codes: ["site_config_not_found", "version_conflict"],
  // On errors, too, so that pages can read them.
  async onSend(request: FastifyRequest, reply: FastifyReply) {
    if (request.headers.authorization === undefined) reply.headers(CORS_HEADERS);
  },
  handle: serve,
} as const;

const VALIDATION_OPERATIONS = {
  post: {
    operationId: "validateSiteConfig",
    summary: "Validate a site configuration",
    description: [
      "Validates the text of a file without storing it. The status is 200 whether or not it is valid: see `report.valid`.",
      curlBlock("POST", VALIDATION_PATH, EXAMPLE),
    ],
    access: "anyKey",
    query: VALIDATION_QUERY,
    text: TEXT,
    reply: VALIDATION,
    replyDescription: "The findings.",
    replyExamples: { success: [{ success: 1, report: NO_FINDINGS }] },
    codes: [],
    async handle({ services, request }) {
      const { strict = false } = parse(VALIDATION_QUERY, request.query);
      const report = await services.siteConfigs.check({ text: readText(request) }, { strict });
      return { success: 1, report };
    },
  },
} satisfies RestPath["operations"];

const SITE_OPERATIONS = {
  get: {
    ...READ,
    operationId: "getSiteConfig",
    summary: "Read a site configuration",
    description: [
      "Returns the stored document unchanged. Without `account`, the site is looked up in the account of the API key. With `account`, public sites can be read without an API key. To change a part of a document, restore a revision or make a site public, use GraphQL or the command line.",
      curlBlock("GET", `${SITE_CONFIG_PATH}/docs`),
    ],
  },
  head: {
    ...READ,
    operationId: "headSiteConfig",
    summary: "Read the headers of a site configuration",
    description: ["The same as GET, but without the document."],
  },
  put: {
    operationId: "putSiteConfig",
    summary: "Store a site configuration",
    description: [
      "Stores the text of a file as the next revision of the site, which is created if it does not exist. A file with errors is not stored. Requires an API key with write scope.",
      curlBlock("PUT", `${SITE_CONFIG_PATH}/docs`, EXAMPLE),
    ],
    parameters: PRECONDITIONS,
    query: PUT_QUERY,
    text: TEXT,
    reply: STORED,
    replyDescription: "The new revision, with warnings and notices.",
    replyHeaders: ["ETag", "Site-Config-Revision"],
    replyExamples: { success: [{ success: 1, site: "docs", revision: 1, report: NO_FINDINGS }] },
    responses: {
      "422": response(
        `\`invalid_site_config\`: ${ERRORS.invalid_site_config.rest.when}.`,
        LIMITED_HEADERS,
        jsonContent(REFUSAL, {
          invalid_site_config: [{ ...errorExample("invalid_site_config"), report: REFUSED }],
        }),
      ),
    },
    codes: ["version_conflict"],
    async handle({ services, caller, request, reply }) {
      const writer = requireWrite(caller);
      const { strict = false, ...query } = parse(PUT_QUERY, request.query);
      const site = parseOwnSite(request, query, caller);
      const text = readText(request);
      const { siteConfig, report } = await findExpectedRevision(services, writer, site, request)
        .then((expectedRevision) =>
          services.siteConfigs.put(writer, site, {
            source: { text },
            strict,
            expectedRevision,
            isPublic: null,
          }),
        )
        .catch((error: unknown) => nameHeader(error, request));
      if (!siteConfig) {
        request.hasWritten = false;
        const message = `The site configuration has errors; the first: ${report.errors[0]?.message} \`report\` lists all of them.`;
        throw new DomainError("invalid_site_config", message, { field: ["body"], report });
      }
      const { revision } = siteConfig;
      reply
        .header("etag", toEntityTag(createHash("sha256").update(text).digest()))
        .header("site-config-revision", revision);
      return { success: 1, site, revision, report };
    },
  },
  delete: {
    operationId: "deleteSiteConfig",
    summary: "Delete a site configuration",
    description: [
      "Deletes a site. Its revisions stay stored: if the site is created again, they are part of its history, and its revision numbers continue. Requires an API key with write scope.",
    ],
    ignoresBody: true,
    parameters: PRECONDITIONS,
    query: DELETION_QUERY,
    reply: DELETED,
    replyDescription: "The site was deleted.",
    replyExamples: { success: [{ success: 1 }] },
    codes: ["version_conflict", "site_config_not_found"],
    async handle({ services, caller, request }) {
      const writer = requireWrite(caller);
      const site = parseOwnSite(request, parse(DELETION_QUERY, request.query), caller);
      await findExpectedRevision(services, writer, site, request)
        .then((expectedRevision) => services.siteConfigs.delete(writer, site, { expectedRevision }))
        .catch((error: unknown) => nameHeader(error, request));
      return { success: 1 };
    },
  },
  options: {
    operationId: "preflightSiteConfig",
    summary: "Answer a CORS preflight request",
    description: [
      "Answers the preflight request that browsers send before a script of another origin sends `If-None-Match`.",
    ],
    access: "anyone",
    headers: PAGE_HEADERS,
    responses: {
      "204": response("Scripts of all origins may read without an API key.", [
        ...COMMON_HEADERS,
        "Allow",
        ...PAGE_HEADERS,
        "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers",
        "Access-Control-Max-Age",
      ]),
    },
    codes: ["not_found"],
    handle: async ({ reply }) => reply.code(204).headers(PREFLIGHT_HEADERS).send(),
  },
} satisfies RestPath["operations"];

/**
 * `/site-config/:site` serves the stored document unchanged: to holders of an API key, and public sites to anyone who names the account.
 * PUT and DELETE change a site.
 */
export const SITE_CONFIG_PATHS: readonly RestPath[] = [
  { path: VALIDATION_PATH, tag: TAG, operations: VALIDATION_OPERATIONS },
  { path: `${SITE_CONFIG_PATH}/:site`, tag: TAG, params: SITE, operations: SITE_OPERATIONS },
];

async function serve({ services, caller, request, reply }: OpenRequest): Promise<unknown> {
  const { siteConfigReader } = services;
  const { headers, deadline } = request;
  const { revision: requested = null, ...query } = parse(READ_QUERY, request.query);
  const owner = findOwner(query, caller);
  const knownHashes = readKnownHashes(headers["if-none-match"]);
  const served = { ...parse(SITE, request.params), revision: requested, knownHashes };
  const isPublic = "account" in owner;
  const { revision, hash, text } = await (isPublic
    ? siteConfigReader.servePublic(owner, served, deadline)
    : siteConfigReader.serve(owner, served));
  requireMatch(parseIfMatch(headers["if-match"] ?? "*"), { revision, hash });
  const visibility = isPublic ? "public" : "private";
  reply
    // The current revision changes, and a public site may be withdrawn.
    .header("cache-control", requested === null ? `${visibility}, no-cache` : CACHED[visibility])
    .header("etag", toEntityTag(hash))
    .header("vary", "authorization")
    .header("site-config-revision", revision);
  return text === null ? reply.code(304).send() : reply.type("application/json; charset=utf-8").send(text);
}

interface PublicOwner {
  readonly account: string;
  readonly environment: Environment;
}

/**
 * Finds the owner of the site: the caller, or any account for public sites. Public paths name their account and refer to the same site
 * with any API key.
 * @param caller null without an API key
 * @throws DomainError `invalid_field`; `unauthenticated` without both a key and an account
 */
function findOwner(
  { environment, account }: z.infer<typeof DELETION_QUERY>,
  caller: Caller | null,
): Caller | PublicOwner {
  if (account === undefined) {
    if (!caller) throw credentialsError(undefined, "apiKey");
    if (environment === undefined || environment === caller.environment) return caller;
    throw invalidField(["environment"], "must be that of the API key, unless an account is given");
  }
  const requestedEnvironment = environment ?? DEFAULT_ENVIRONMENT;
  const isOwn = caller?.accountName === account && caller.environment === requestedEnvironment;
  return isOwn ? caller : { account, environment: requestedEnvironment };
}

/** Parses the name of a site that must belong to the caller. @throws DomainError `invalid_field` */
function parseOwnSite(
  { params }: FastifyRequest,
  query: z.infer<typeof DELETION_QUERY>,
  caller: Caller,
): string {
  if (findOwner(query, caller) === caller) return parse(SITE, params).site;
  throw invalidField(["account"], "must be that of the API key");
}

/** @throws DomainError `invalid_field` for a text that is too large */
function readText({ bodyText }: FastifyRequest): string {
  requireSize(bodyText, ["body"]);
  return bodyText;
}

/** @returns null for any; 0 if the site must not exist @throws DomainError `invalid_field`, `site_config_not_found`, `version_conflict` */
async function findExpectedRevision(
  { siteConfigReader }: Services,
  tenant: Tenant,
  site: string,
  { headers }: FastifyRequest,
): Promise<number | null> {
  const condition = parsePrecondition(headers);
  if (condition === undefined) return null;
  if (condition === "absent") return 0;
  const current = await siteConfigReader.serve(tenant, { site, revision: null, knownHashes: null });
  requireMatch(condition === "exists" ? null : condition, current);
  return current.revision;
}

/** @throws DomainError `version_conflict` unless If-Match has the tag of the text or the revision number in quotes */
function requireMatch(
  tags: readonly string[] | null,
  { revision, hash }: { readonly revision: number; readonly hash: Buffer },
): void {
  const current = [hash.toString("base64url"), String(revision)];
  if (tags?.some((tag) => current.includes(tag)) === false)
    throw unmatched(`The site configuration is at revision ${revision}, not the expected one.`);
}

/** Returns the error of a revision, or a missing site, that does not meet If-Match. */
function unmatched(message: string): DomainError {
  return new DomainError("version_conflict", message, { field: ["If-Match"] });
}

/** Names the header of a precondition that was not met: `If-Match` by default. @throws DomainError */
function nameHeader(error: unknown, { headers, method }: Pick<FastifyRequest, "headers" | "method">): never {
  if (!(error instanceof DomainError)) throw error;
  const { code, message, details = {} } = error;
  // Without the precondition, PUT would have created the site.
  if (code === "site_config_not_found" && method === "PUT") throw unmatched(message);
  if (code !== "version_conflict" || headers["if-none-match"] === undefined) throw error;
  throw new DomainError(code, message, { field: ["If-None-Match"], details });
}
