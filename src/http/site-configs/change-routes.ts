import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Tenant } from "../../domain/accounts/caller.js";
import { requireWrite } from "../../domain/accounts/scopes.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { SiteConfigReport } from "../../domain/site-configs/findings.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { MAX_SITE_CONFIG_BYTES, requireSize } from "../../domain/site-configs/site-config.js";
import { BODY_LIMIT, requireApiKey } from "../../rest/authenticated-routes.js";
import { renderError } from "../../rest/error-view.js";
import type { Services } from "../../services/services.js";
import { parsePrecondition, requireMatch, toEntityTag, unmatched } from "./entity-tag.js";
import { parseChangedSite, parseStrict, type SiteRequest } from "./request.js";

const VALIDATION_PATH = `${SITE_CONFIG_PATH}/validate`;
/** The body is the text of a file. */
const TEXT_BODY = { bodyLimit: MAX_SITE_CONFIG_BYTES, config: { takesText: true } };

type Request = FastifyRequest<SiteRequest>;

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
    const strict = parseStrict(request);
    const text = readText(request);
    const report = await siteConfigs.check({ text }, { strict });
    return { success: 1, report };
  };

  const put = async (caller: Caller, request: Request, reply: FastifyReply) => {
    const writer = requireWrite(caller);
    const site = parseChangedSite(request, caller);
    const strict = parseStrict(request);
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
    const site = parseChangedSite(request, caller);
    await findExpectedRevision(writer, site, request)
      .then((expectedRevision) => siteConfigs.delete(writer, site, { expectedRevision }))
      .catch((error: unknown) => nameHeader(error, request));
    request.hasWritten = true;
    return { success: 1 };
  };

  /** @throws DomainError `invalid_field`, `site_config_not_found`, `version_conflict` */
  const findExpectedRevision = async (tenant: Tenant, site: string, { headers }: Request) => {
    const condition = parsePrecondition(headers);
    if (condition.kind === "none") return null;
    if (condition.kind === "revision") return condition.revision;
    const current = await siteConfigReader.serve(tenant, { site, revision: null, knownHashes: null });
    requireMatch(condition, current);
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
