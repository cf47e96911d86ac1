import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { missingCredentials } from "../domain/authorization.js";
import { parseInternalId } from "../domain/data-source.js";
import { ENVIRONMENTS, type Environment } from "../domain/environment.js";
import { invalidField } from "../domain/errors.js";
import { rateLimitHeaders } from "../domain/rate-limit-headers.js";
import { DEFAULT_ENVIRONMENT, parseSite, SITE_CONFIG_PATH } from "../domain/site-config/site-config.js";
import { refuseOtherMethods } from "../rest/method-refusal.js";
import type { Services } from "../services/services.js";
import type { ServedRequest } from "../services/site-config-reader.js";
import { readKnownHashes, toEntityTag } from "./entity-tag.js";

const YEAR_S = 31_536_000;
const METHODS = ["GET", "HEAD"];

interface SiteRequest {
  readonly Params: { readonly site: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Registers `/site-config/:site`, which gives site builders the stored document as it was written: to holders of an API key, and of
 * public sites to everybody who names the account.
 */
export function registerSiteConfigRoutes(
  app: FastifyInstance,
  { access, rateLimits, siteConfigReader }: Services,
): void {
  const url = `${SITE_CONFIG_PATH}/:site`;

  const serve = async (request: FastifyRequest<SiteRequest>, reply: FastifyReply) => {
    const { authorization, "if-none-match": ifNoneMatch } = request.headers;
    const caller = authorization === undefined ? null : await access.authenticate(authorization, request.ip);
    const account = readParameter(request, "account");
    if (!caller && account === undefined) throw missingCredentials();
    const spender = caller
      ? ({ kind: "caller", caller } as const)
      : ({ kind: "address", address: request.ip } as const);
    const spending = rateLimits.spend(spender, 1);
    if (spending) reply.headers(rateLimitHeaders(await spending));
    const asked: ServedRequest = {
      site: parseSite(request.params.site, ["site"]),
      revision: parseRevision(readParameter(request, "revision")),
      knownHashes: readKnownHashes(ifNoneMatch),
    };
    const { revision, hash, text } = caller
      ? await siteConfigReader.serve(caller, asked)
      : await siteConfigReader.servePublic(account ?? "", parseEnvironment(request), asked);
    const reach = caller ? "private" : "public";
    // A revision never changes; which one is the current does.
    const freshness = asked.revision === null ? "no-cache" : `max-age=${YEAR_S}, immutable`;
    reply
      .header("cache-control", `${reach}, ${freshness}`)
      .header("etag", toEntityTag(hash))
      .header("vary", "authorization")
      .header("site-config-revision", revision)
      // Whoever has no key reads public sites only, which scripts of every page may.
      .headers(caller ? {} : { "access-control-allow-origin": "*" });
    return text === null ? reply.code(304).send() : reply.type("application/json; charset=utf-8").send(text);
  };

  app.route<SiteRequest>({ method: METHODS, url, handler: serve });
  refuseOtherMethods(app, url, METHODS);
}

/** A parameter of the query string. @throws DomainError `invalid_field` for one that is given twice */
function readParameter({ query }: FastifyRequest<SiteRequest>, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw invalidField([name], "must be given once");
  return value;
}

function parseRevision(text: string | undefined): number | null {
  if (text === undefined) return null;
  const revision = parseInternalId(text);
  if (revision === null) throw invalidField(["revision"], "must be a whole number from 1");
  return revision;
}

function parseEnvironment(request: FastifyRequest<SiteRequest>): Environment {
  const given = readParameter(request, "environment");
  if (given === undefined) return DEFAULT_ENVIRONMENT;
  const environment = ENVIRONMENTS.find((known) => known === given);
  if (environment) return environment;
  throw invalidField(["environment"], `must be ${ENVIRONMENTS.join(" or ")}`);
}
