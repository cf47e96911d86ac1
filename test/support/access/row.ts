import type { Scope } from "../../../src/domain/accounts/caller.js";
import { goodSite } from "../site-configs/store.js";
import type { AccessIds } from "./tenants.js";

/** From least to most privileged; user group tokens are a case of their own. */
const SCOPES: readonly Scope[] = ["read", "embed", "write", "admin"];
export type Credential = "none" | "token" | Scope;
export const CREDENTIALS: readonly Credential[] = ["none", "token", ...SCOPES];

/** A caller's result: its own data, null without an error, or an error code. */
export type Outcomes = Readonly<Record<Credential, string>>;

export type Call =
  | { readonly query: string }
  | { readonly subscription: string }
  | { readonly method: string; readonly path: string; readonly body: object | undefined };

/** One call of a GraphQL field or of a method of the REST API. */
export interface AccessRow {
  readonly of: string;
  readonly outcomes: Outcomes;
  /** @param ids of the objects to address @param own creates objects of the caller's tenant */
  readonly call: (ids: AccessIds, ownIds: AccessIds) => Call;
}

/** Expected results for keys from a scope upwards; user group tokens are forbidden. */
export function from(scope: Scope, others: Partial<Outcomes> = {}): Outcomes {
  const minimum = SCOPES.indexOf(scope);
  const of = (each: Scope) => (SCOPES.indexOf(each) >= minimum ? "ok" : "FORBIDDEN");
  return {
    none: "UNAUTHENTICATED",
    token: "FORBIDDEN",
    read: of("read"),
    embed: of("embed"),
    write: of("write"),
    admin: of("admin"),
    ...others,
  };
}

/** Renders a value as GraphQL text. */
export const q = (value: unknown) => JSON.stringify(value);
export const GROUP = "{ id providedId name version }";
export const ERRORS = "userErrors { code field message }";

export function query(of: string, outcomes: Outcomes, text: (ids: AccessIds) => string): AccessRow {
  return { of, outcomes, call: (ids) => ({ query: `{ ${text(ids)} }` }) };
}

/** @param fields the selection of the payload; must be deterministic for created objects */
export function mutation(
  of: string,
  scope: Scope,
  input: (ids: AccessIds, ownIds: AccessIds) => string,
  fields: string,
  others: Partial<Outcomes> = {},
): AccessRow {
  const call: AccessRow["call"] = (ids, ownIds) => ({
    query: `mutation { ${of}(input: { ${input(ids, ownIds)} }) { ${fields} ${ERRORS} } }`,
  });
  return { of, outcomes: from(scope, others), call };
}

/** @param of the method and path */
export function rest(
  of: string,
  scope: Scope,
  body: (ids: AccessIds, ownIds: AccessIds) => object,
  others: Partial<Outcomes> = {},
): AccessRow {
  // REST does not accept user group tokens.
  const outcomes = from(scope, { token: "UNAUTHENTICATED", ...others });
  const [method = "", path = ""] = of.split(" ");
  return { of, outcomes, call: (ids, ownIds) => ({ method, path, body: body(ids, ownIds) }) };
}

/** A method of a site configuration as a file. @param name of the site */
export function site(
  method: "GET" | "PUT" | "DELETE",
  scope: Scope,
  name: (ids: AccessIds) => string,
): AccessRow {
  const outcomes = from(scope, { token: "UNAUTHENTICATED" });
  const body = method === "PUT" ? goodSite : undefined;
  const call = (ids: AccessIds) => ({ method, path: `/site-config/${name(ids)}`, body });
  return { of: `${method} /site-config/{site}`, outcomes, call };
}
