import type { FastifyRequest } from "fastify";
import type { Caller } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import { missingCredentials } from "../../domain/authentication/authorization.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseRevisionNumber } from "../../domain/shared/internal-id.js";
import { parseText } from "../../domain/shared/text-field.js";
import { DEFAULT_ENVIRONMENT } from "../../domain/site-configs/site-address.js";
import { parseSite } from "../../domain/site-configs/site-config.js";
import type { ServedRequest } from "../../services/site-configs/reader.js";
import { readKnownHashes } from "./entity-tag.js";

/** Matches no revision. */
const NO_REVISION = 0;

/** Parameters of a request for a site's document. */
export interface SiteRequest {
  readonly Params: { readonly site: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

/** The owner of the requested site: the caller's account, or any account for public sites. */
export type SiteOwner =
  | { readonly kind: "caller"; readonly caller: Caller }
  | { readonly kind: "public"; readonly account: string; readonly environment: Environment };

/** Parses the requested site and revision. @throws DomainError `invalid_field` */
export function parseServedRequest(request: FastifyRequest<SiteRequest>): ServedRequest {
  return {
    site: parseSite(request.params.site, ["site"]),
    revision: parseRevision(readParameter(request, "revision")),
    knownHashes: readKnownHashes(request.headers["if-none-match"]),
  };
}

/**
 * Parses the owner of the site. Public paths name their account and refer to the same site with any API key.
 * @param caller null without an API key
 * @throws DomainError `invalid_field`; `unauthenticated` without both a key and an account
 */
export function parseOwner(request: FastifyRequest<SiteRequest>, caller: Caller | null): SiteOwner {
  const environment = parseEnvironment(readParameter(request, "environment"));
  const accountName = readParameter(request, "account");
  if (accountName === undefined) {
    if (!caller) throw missingCredentials();
    if (environment === null || environment === caller.environment) return { kind: "caller", caller };
    throw invalidField(["environment"], "must be that of the API key, unless an account is given");
  }
  const account = parseText(accountName, ["account"]);
  const requestedEnvironment = environment ?? DEFAULT_ENVIRONMENT;
  return caller?.accountName === account && caller.environment === requestedEnvironment
    ? { kind: "caller", caller }
    : { kind: "public", account, environment: requestedEnvironment };
}

/**
 * Parses the site of a change, which must belong to the caller.
 * @throws DomainError `invalid_field`
 */
export function parseChangedSite(request: FastifyRequest<SiteRequest>, caller: Caller): string {
  if (parseOwner(request, caller).kind === "public") {
    throw invalidField(["account"], "must be that of the API key");
  }
  return parseSite(request.params.site, ["site"]);
}

/** Parses the query parameter `strict`, which needs no value. @throws DomainError `invalid_field` */
export function parseStrict(request: FastifyRequest<Pick<SiteRequest, "Querystring">>): boolean {
  const strict = readParameter(request, "strict") ?? "false";
  if (!["", "true", "false"].includes(strict)) throw invalidField(["strict"], "must be true or false");
  return strict !== "false";
}

/** Returns a query parameter. @throws DomainError `invalid_field` if it is repeated */
function readParameter(
  { query }: FastifyRequest<Pick<SiteRequest, "Querystring">>,
  name: string,
): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw invalidField([name], "must be given once");
  return value;
}

function parseRevision(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9][0-9]*$/.test(text)) throw invalidField(["revision"], "must be a positive integer");
  return parseRevisionNumber(text) ?? NO_REVISION;
}

function parseEnvironment(value: string | undefined): Environment | null {
  if (value === undefined) return null;
  const environment = ENVIRONMENTS.find((known) => known === value);
  if (environment) return environment;
  throw invalidField(["environment"], `must be ${ENVIRONMENTS.join(" or ")}`);
}
