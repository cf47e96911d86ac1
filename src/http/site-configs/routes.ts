import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rateLimitHeaders } from "../../domain/requests/rate-limit-headers.js";
import { READ_CONSISTENCY_HEADER, readReadConsistency } from "../../domain/requests/read-consistency.js";
import { SITE_CONFIG_PATH } from "../../domain/site-configs/site-address.js";
import { refuseOtherMethods } from "../../rest/method-refusal.js";
import { BODY_LIMIT } from "../../rest/routes.js";
import type { Services } from "../../services/services.js";
import { toEntityTag } from "./entity-tag.js";
import { parseOwner, parseServed, type SiteRequest } from "./request.js";

const DAY_S = 86_400;
const YEAR_S = 31_536_000;
const READ_METHODS = ["GET", "HEAD"];
const METHODS = [...READ_METHODS, "OPTIONS"];
const PATHS = [`${SITE_CONFIG_PATH}/:site`, `${SITE_CONFIG_PATH}/:site/`];

/** What scripts of every page may read: whoever has no key gets public sites only. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, site-config-revision",
};

/** What they may send: no Authorization, as pages hold no API key. */
const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "access-control-allow-methods": READ_METHODS.join(", "),
  "access-control-allow-headers": "if-none-match",
  "access-control-max-age": DAY_S,
};

/**
 * Registers `/site-config/:site`, which gives site builders the stored document as it was written: to holders of an API key, and of
 * public sites to everybody who names the account.
 */
export function registerSiteConfigRoutes(
  app: FastifyInstance,
  { access, replicaRouter, rateLimits, siteConfigReader }: Services,
): void {
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
    const asked = parseServed(request);
    const consistency = readReadConsistency(request.headers[READ_CONSISTENCY_HEADER]);
    const { revision, hash, text } = await replicaRouter.run(consistency, (replica) =>
      owner.kind === "caller"
        ? siteConfigReader.serve({ ...owner.caller, ...(replica && { replica }) }, asked)
        : siteConfigReader.servePublic(owner, asked, { ...(replica && { replica }), deadline }),
    );
    const reach = owner.kind === "caller" ? "private" : "public";
    // A revision never changes; which one is the current does.
    const freshness = asked.revision === null ? "no-cache" : `max-age=${YEAR_S}, immutable`;
    reply
      .header("cache-control", `${reach}, ${freshness}`)
      .header("etag", toEntityTag(hash))
      .header("vary", "authorization")
      .header("site-config-revision", revision);
    return text === null ? reply.code(304).send() : reply.type("application/json; charset=utf-8").send(text);
  };

  for (const url of PATHS) {
    app.route<SiteRequest>({
      method: READ_METHODS,
      url,
      bodyLimit: BODY_LIMIT,
      onSend: openToPages,
      handler: serve,
    });
    // Before a body is read.
    app.route({ method: "OPTIONS", url, onRequest: answerPreflight, handler: answerPreflight });
    refuseOtherMethods(app, url, METHODS);
  }
}

/** At the end, so that pages can read every error, too. */
async function openToPages(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.authorization === undefined) reply.headers(CORS_HEADERS);
}

async function answerPreflight(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).headers(PREFLIGHT_HEADERS).header("allow", METHODS.join(", ")).send();
}
