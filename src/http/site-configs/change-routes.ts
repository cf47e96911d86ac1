import { createHash } from "node:crypto";
import { SITE_CONFIG_CODES, type SiteConfigReport } from "@user-groups/site-config";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Caller, Tenant } from "../../domain/accounts/caller.js";
import { requireWrite } from "../../domain/accounts/scopes.js";
import { ERRORS } from "../../domain/shared/error-catalogue.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { parseText } from "../../domain/shared/text-field.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { MAX_SITE_CONFIG_BYTES, requireSize } from "../../domain/site-configs/site-config.js";
import { BODY_LIMIT, requireApiKey } from "../../rest/authenticated-routes.js";
import { parsePrecondition, toEntityTag } from "../../rest/entity-tag.js";
import { ERROR_BODY, renderError } from "../../rest/errors.js";
import { COMPONENTS, integer, parse, SUCCESS, text } from "../../rest/fields.js";
import {
  ANY_KEY_CODES,
  curlBlock,
  errorExample,
  errorResponses,
  type HeaderName,
  headerParameter,
  jsonContent,
  LIMITED_HEADERS,
  REQUEST_ID_PARAMETER,
  response,
  SHARED_CODES,
} from "../../rest/openapi.js";
import type { Services } from "../../services/services.js";
import {
  DELETION_QUERY,
  findOwner,
  PUT_QUERY,
  type SiteRequest,
  STRICT_PARAMETERS,
  VALIDATION_QUERY,
} from "./request.js";

const VALIDATION_PATH = `${SITE_CONFIG_PATH}/validate`;
/** The body is the text of a file. */
const TEXT_BODY = { bodyLimit: MAX_SITE_CONFIG_BYTES, config: { takesText: true } };

type Request = FastifyRequest<SiteRequest>;

/** Of all operations on sites. */
export const TAGS = ["Site configurations"];
export const EXAMPLE = { name: "Docs", navigation: [{ group: "Start", pages: ["index"] }] };

const CHANGE_CODES = [...SHARED_CODES, "version_conflict"] as const;

const PRECONDITIONS = [
  headerParameter(
    "If-Match",
    'The `ETag` of your copy, or the revision number in quotes, such as `"3"`; or a list of them. The request fails with 412 if the site has changed since. `*` requires only that the site exists.',
  ),
  headerParameter("If-None-Match", "`*` requires that the site does not exist.", { enum: ["*"] }),
];

const DOCUMENT_BODY = {
  required: true,
  description:
    "The text of the file, at most 256 KiB, which is stored unchanged. Findings refer to its lines and columns.",
  content: {
    "application/json": { schema: { type: "object" }, examples: { document: { value: EXAMPLE } } },
    "text/plain": { schema: { type: "string" } },
  },
};

const NO_FINDINGS = { valid: true, errors: [], warnings: [], notices: [] };
const MISSING_NAME = {
  code: "missing_property",
  pointer: "",
  message: '"name" is missing; it is required.',
  line: 1,
  column: 1,
};
const REFUSED = { ...NO_FINDINGS, valid: false, errors: [MISSING_NAME] };

const line = integer({ minimum: 1 }).exactOptional();
const findings = z.array(
  z.object({
    code: z.enum(Object.values(SITE_CONFIG_CODES).flatMap((codes) => Object.keys(codes))),
    pointer: text("The location as a JSON Pointer."),
    message: text("An explanation for humans."),
    line,
    column: line,
    count: integer({
      minimum: 2,
      description: "The number of places, if more than one; the location is the first.",
    }).exactOptional(),
  }),
);
const REPORT = z
  .object({
    valid: z.boolean().meta({ description: "Indicates whether there are no errors." }),
    errors: findings.meta({ description: "What makes the file unusable." }),
    warnings: findings.meta({ description: "What you should fix; `strict` treats them as errors." }),
    notices: findings.meta({ description: "Properties that are valid, but not part of this format." }),
  })
  .register(COMPONENTS, { id: "SiteConfigReport" });
const report = REPORT.meta({ description: "The findings of the validation." });
const VALIDATION = z
  .object({ success: SUCCESS, report })
  .register(COMPONENTS, { id: "SiteConfigValidation" });
const STORED = z
  .object({
    success: SUCCESS,
    site: text("The name of the site."),
    revision: integer({ minimum: 1, description: "The number of the stored revision." }),
    report,
  })
  .register(COMPONENTS, { id: "SiteConfigStored" });
const DELETED = z.object({ success: SUCCESS }).register(COMPONENTS, { id: "SiteConfigDeleted" });
/** An error reply with a report. */
const REFUSAL = z
  .intersection(ERROR_BODY, z.object({ report }))
  .register(COMPONENTS, { id: "SiteConfigRefusal" });

/** `POST /site-config/validate`. */
export const VALIDATION_PATHS = {
  [VALIDATION_PATH]: {
    parameters: [REQUEST_ID_PARAMETER],
    post: {
      operationId: "validateSiteConfig",
      tags: TAGS,
      summary: "Validate a site configuration",
      description: [
        "Validates the text of a file without storing it. The status is 200 whether or not it is valid: see `report.valid`.",
        curlBlock("POST", VALIDATION_PATH, EXAMPLE),
      ].join("\n\n"),
      parameters: STRICT_PARAMETERS,
      requestBody: DOCUMENT_BODY,
      responses: {
        "200": success("The findings.", VALIDATION, { report: NO_FINDINGS }),
        ...errorResponses(ANY_KEY_CODES, LIMITED_HEADERS),
      },
    },
  },
};

/** Changes of `/site-config/{site}`. */
export const SITE_CONFIG_CHANGES = {
  put: {
    tags: TAGS,
    operationId: "putSiteConfig",
    summary: "Store a site configuration",
    description: [
      "Stores the text of a file as the next revision of the site, which is created if it does not exist. A file with errors is not stored. Requires an API key with write scope.",
      curlBlock("PUT", `${SITE_CONFIG_PATH}/docs`, EXAMPLE),
    ].join("\n\n"),
    parameters: [...STRICT_PARAMETERS, ...PRECONDITIONS],
    requestBody: DOCUMENT_BODY,
    responses: {
      "200": success(
        "The new revision, with warnings and notices.",
        STORED,
        { site: "docs", revision: 1, report: NO_FINDINGS },
        ["ETag", "Site-Config-Revision"],
      ),
      ...errorResponses(CHANGE_CODES, LIMITED_HEADERS),
      "422": response(
        `\`invalid_site_config\`: ${ERRORS.invalid_site_config.rest.when}.`,
        LIMITED_HEADERS,
        jsonContent(REFUSAL, {
          invalid_site_config: [{ ...errorExample("invalid_site_config"), report: REFUSED }],
        }),
      ),
    },
  },
  delete: {
    operationId: "deleteSiteConfig",
    tags: TAGS,
    summary: "Delete a site configuration",
    description:
      "Deletes a site. Its revisions stay stored: if the site is created again, they are part of its history, and its revision numbers continue. Requires an API key with write scope.",
    parameters: PRECONDITIONS,
    responses: {
      "200": success("The site was deleted.", DELETED, {}),
      ...errorResponses([...CHANGE_CODES, "site_config_not_found"], LIMITED_HEADERS),
    },
  },
};

/**
 * Registers `POST /site-config/validate`, and `PUT` and `DELETE` of a site. They require an API key.
 * @param sitePaths patterns of the paths of a site
 */
export function registerSiteConfigChangeRoutes(
  app: FastifyInstance,
  services: Services,
  sitePaths: readonly string[],
): void {
  const { siteConfigs, siteConfigReader, telemetry } = services;

  const validate = async (_caller: Caller, request: Request) => {
    const { strict = false } = parse(VALIDATION_QUERY, request.query);
    const text = readText(request);
    const report = await siteConfigs.check({ text }, { strict });
    return { success: 1, report };
  };

  const put = async (caller: Caller, request: Request, reply: FastifyReply) => {
    const writer = requireWrite(caller);
    const { strict = false, ...query } = parse(PUT_QUERY, request.query);
    const site = parseOwnSite(request, query, caller);
    const text = readText(request);
    const { siteConfig, report } = await findExpectedRevision(writer, site, request)
      .then((expectedRevision) =>
        siteConfigs.put(writer, site, { source: { text }, strict, expectedRevision, isPublic: null }),
      )
      .catch((error: unknown) => nameHeader(error, request));
    if (!siteConfig) return sendRefusal(report, request, reply);
    request.hasWritten = true;
    reply
      .header("etag", toEntityTag(createHash("sha256").update(text).digest()))
      .header("site-config-revision", siteConfig.revision);
    return { success: 1, site, revision: siteConfig.revision, report };
  };

  const remove = async (caller: Caller, request: Request) => {
    const writer = requireWrite(caller);
    const site = parseOwnSite(request, parse(DELETION_QUERY, request.query), caller);
    await findExpectedRevision(writer, site, request)
      .then((expectedRevision) => siteConfigs.delete(writer, site, { expectedRevision }))
      .catch((error: unknown) => nameHeader(error, request));
    request.hasWritten = true;
    return { success: 1 };
  };

  /** @returns null for any; 0 if the site must not exist @throws DomainError `invalid_field`, `site_config_not_found`, `version_conflict` */
  const findExpectedRevision = async (tenant: Tenant, site: string, { headers }: Request) => {
    const condition = parsePrecondition(headers);
    if (condition === undefined) return null;
    if (condition === "absent") return 0;
    const current = await siteConfigReader.serve(tenant, { site, revision: null, knownHashes: null });
    requireMatch(condition === "exists" ? null : condition, current);
    return current.revision;
  };

  const sendRefusal = (report: SiteConfigReport, request: Request, reply: FastifyReply) => {
    const [first] = report.errors;
    const message = `The site configuration has errors; the first: ${first?.message} \`report\` lists all of them.`;
    const error = new DomainError("invalid_site_config", message, { field: ["body"] });
    request.errorCode = error.code;
    telemetry.metrics.errors.inc({ api: "rest", code: error.code });
    const { status, body } = renderError(error, request.id);
    return reply.code(status).send({ ...body, report });
  };

  for (const url of [VALIDATION_PATH, `${VALIDATION_PATH}/`]) {
    app.route<SiteRequest>({ method: "POST", url, ...TEXT_BODY, ...requireApiKey(app, services, validate) });
  }
  for (const url of sitePaths) {
    app.route<SiteRequest>({ method: "PUT", url, ...TEXT_BODY, ...requireApiKey(app, services, put) });
    const deletion = requireApiKey(app, services, remove);
    app.route<SiteRequest>({ method: "DELETE", url, bodyLimit: BODY_LIMIT, ...deletion });
  }
}

/** @throws DomainError `version_conflict` unless If-Match has the tag of the text or the revision number in quotes */
export function requireMatch(
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

/** Parses the name of a site that must belong to the caller. @throws DomainError `invalid_field` */
function parseOwnSite({ params }: Request, query: Parameters<typeof findOwner>[0], caller: Caller): string {
  if (findOwner(query, caller).kind === "caller") return parseText(params.site, ["site"]);
  throw invalidField(["account"], "must be that of the API key");
}

/** @throws DomainError `invalid_field` for a text that is too large */
function readText(request: Request): string {
  const text = request.bodyText;
  requireSize(text, ["body"]);
  return text;
}

/** Names the header of a precondition that was not met: `If-Match` by default. @throws DomainError */
function nameHeader(error: unknown, { headers, method }: Pick<Request, "headers" | "method">): never {
  if (!(error instanceof DomainError)) throw error;
  const { code, message, details = {} } = error;
  // Without the precondition, PUT would have created the site.
  if (code === "site_config_not_found" && method === "PUT") throw unmatched(message);
  if (code !== "version_conflict" || headers["if-none-match"] === undefined) throw error;
  throw new DomainError(code, message, { field: ["If-None-Match"], details });
}

function success(
  description: string,
  schema: z.ZodType,
  fields: object,
  further: readonly HeaderName[] = [],
) {
  const content = jsonContent(schema, { success: [{ success: 1, ...fields }] });
  return response(description, [...LIMITED_HEADERS, ...further], content);
}
