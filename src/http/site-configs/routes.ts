import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rateLimitHeaders } from "../../domain/requests/rate-limit-headers.js";
import { parseReadConsistency, READ_CONSISTENCY_HEADER } from "../../domain/requests/read-consistency.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { BODY_LIMIT } from "../../rest/authenticated-routes.js";
import type { Services } from "../../services/services.js";
import { registerSiteConfigChangeRoutes } from "./change-routes.js";
import { parsePrecondition, requireMatch, toEntityTag } from "./entity-tag.js";
import { parseOwner, parseServedRequest, type SiteRequest } from "./request.js";

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

/**
 * Registers `/site-config/:site`, which serves the stored document unchanged: to holders of an API key, and public sites to anyone who
 * names the account. PUT and DELETE change a site.
 */
export function registerSiteConfigRoutes(app: FastifyInstance, services: Services): void {
  const { access, replicaRouter, rateLimits, siteConfigReader } = services;
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
    const owner = parseOwner(request, caller);
    const servedRequest = parseServedRequest(request);
    const consistency = parseReadConsistency(request.headers[READ_CONSISTENCY_HEADER]);
    const { revision, hash, text } = await replicaRouter.run(consistency, (replica) =>
      owner.kind === "caller"
        ? siteConfigReader.serve({ ...owner.caller, ...(replica && { replica }) }, servedRequest)
        : siteConfigReader.servePublic(owner, servedRequest, { ...(replica && { replica }), deadline }),
    );
    requireMatch(parsePrecondition({ "if-match": request.headers["if-match"] }), { revision, hash });
    const visibility = owner.kind === "caller" ? "private" : "public";
    reply
      // The current revision changes, and a public site may be withdrawn.
      .header(
        "cache-control",
        servedRequest.revision === null ? `${visibility}, no-cache` : CACHED[visibility],
      )
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
