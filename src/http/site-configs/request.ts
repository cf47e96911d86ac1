import type { FastifyRequest } from "fastify";
import type { Caller } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import { missingCredentials } from "../../domain/authentication/authorization.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { parseText } from "../../domain/shared/text-field.js";
import { DEFAULT_ENVIRONMENT } from "../../domain/site-configs/site-address.js";
import { parseSite } from "../../domain/site-configs/site-config.js";
import type { ServedRequest } from "../../services/site-configs/reader.js";
import { readKnownHashes } from "./entity-tag.js";

/** A number that no revision has. */
const NO_REVISION = 0;

/** What a request for the document of a site holds. */
export interface SiteRequest {
  readonly Params: { readonly site: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

/** Whose site is asked for: one of the holder of the API key, or a public one, which anybody may name. */
export type SiteOwner =
  | { readonly kind: "caller"; readonly caller: Caller }
  | { readonly kind: "public"; readonly account: string; readonly environment: Environment };

/** Reads which text is asked for. @throws DomainError `invalid_field` */
export function parseServed(request: FastifyRequest<SiteRequest>): ServedRequest {
  return {
    site: parseSite(request.params.site, ["site"]),
    revision: parseRevision(readParameter(request, "revision")),
    knownHashes: readKnownHashes(request.headers["if-none-match"]),
  };
}

/**
 * Reads whose site is asked for. Public paths name their account, and lead the holder of any key to the same site.
 * @param caller null without an API key
 * @throws DomainError `invalid_field`; `unauthenticated` with neither a key nor an account
 */
export function parseOwner(request: FastifyRequest<SiteRequest>, caller: Caller | null): SiteOwner {
  const environment = parseEnvironment(readParameter(request, "environment"));
  const named = readParameter(request, "account");
  if (named === undefined) {
    if (!caller) throw missingCredentials();
    if (environment === null || environment === caller.environment) return { kind: "caller", caller };
    throw invalidField(["environment"], "must be that of the API key where no account is given");
  }
  const account = parseText(named, ["account"]);
  const meant = environment ?? DEFAULT_ENVIRONMENT;
  return caller?.accountName === account && caller.environment === meant
    ? { kind: "caller", caller }
    : { kind: "public", account, environment: meant };
}

/** A parameter of the query string. @throws DomainError `invalid_field` for one that is given twice */
function readParameter({ query }: FastifyRequest<SiteRequest>, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw invalidField([name], "must be given once");
  return value;
}

function parseRevision(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9][0-9]*$/.test(text)) throw invalidField(["revision"], "must be a whole number from 1");
  return parseInternalId(text) ?? NO_REVISION;
}

function parseEnvironment(given: string | undefined): Environment | null {
  if (given === undefined) return null;
  const environment = ENVIRONMENTS.find((known) => known === given);
  if (environment) return environment;
  throw invalidField(["environment"], `must be ${ENVIRONMENTS.join(" or ")}`);
}
