import { z } from "zod";
import type { Caller } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import { credentialsError } from "../../domain/authentication/authorization.js";
import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { parseRevisionNumber } from "../../domain/shared/internal-id.js";
import { parseText } from "../../domain/shared/text-field.js";
import { DEFAULT_ENVIRONMENT } from "../../domain/site-configs/site-address.js";
import { documentQuery, parameter } from "../../rest/fields.js";

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

const OWNER = {
  environment: parameter(parseEnvironment, {
    description: "The environment of the site. Without `account`, it must be that of the API key.",
    schema: { type: "string", enum: ENVIRONMENTS, default: DEFAULT_ENVIRONMENT },
  }),
  account: parameter(parseText, {
    description:
      "The name of the account that owns the site. Required for requests without an API key, which can read public sites only. The GraphQL field `publicPath` returns the complete path.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  }),
};
const STRICT = {
  strict: parameter(parseStrict, {
    description: "Treats warnings as errors. `?strict` without a value is `true`.",
    allowEmptyValue: true,
    schema: { type: "string", enum: ["", "true", "false"], default: "false" },
  }),
};
const REVISION = {
  revision: parameter(parseRevision, {
    description: "The revision number. Defaults to the current revision.",
    schema: { type: "integer", minimum: 1 },
  }),
};

/** Query parameters by kind of request. */
export const READ_QUERY = z.object({ ...OWNER, ...REVISION });
export const VALIDATION_QUERY = z.object(STRICT);
export const PUT_QUERY = z.object({ ...OWNER, ...STRICT });
export const DELETION_QUERY = z.object(OWNER);

/** Query parameters of all requests for a site, and of validations, for the OpenAPI document. */
export const SITE_PARAMETERS = documentQuery({
  ...REVISION,
  account: OWNER.account,
  environment: OWNER.environment,
});
export const STRICT_PARAMETERS = documentQuery(STRICT);

/**
 * Finds the owner of the site. Public paths name their account and refer to the same site with any API key.
 * @param caller null without an API key
 * @throws DomainError `invalid_field`; `unauthenticated` without both a key and an account
 */
export function findOwner(
  { environment, account }: z.infer<typeof DELETION_QUERY>,
  caller: Caller | null,
): SiteOwner {
  if (account === undefined) {
    if (!caller) throw credentialsError(undefined, "apiKey");
    if (environment === undefined || environment === caller.environment) return { kind: "caller", caller };
    throw invalidField(["environment"], "must be that of the API key, unless an account is given");
  }
  const requestedEnvironment = environment ?? DEFAULT_ENVIRONMENT;
  return caller?.accountName === account && caller.environment === requestedEnvironment
    ? { kind: "caller", caller }
    : { kind: "public", account, environment: requestedEnvironment };
}

/** Without a value, the parameter is true. */
function parseStrict(text: string, path: FieldPath): boolean {
  if (!["", "true", "false"].includes(text)) throw invalidField(path, "must be true or false");
  return text !== "false";
}

function parseRevision(text: string, path: FieldPath): number {
  if (!/^[1-9][0-9]*$/.test(text)) throw invalidField(path, "must be a positive integer");
  return parseRevisionNumber(text) ?? NO_REVISION;
}

function parseEnvironment(value: string, path: FieldPath): Environment {
  const environment = ENVIRONMENTS.find((known) => known === value);
  if (environment) return environment;
  throw invalidField(path, `must be ${ENVIRONMENTS.join(" or ")}`);
}
