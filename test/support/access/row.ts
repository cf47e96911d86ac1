import type { Scope } from "../../../src/domain/accounts/caller.js";
import type { AccessIds } from "./tenants.js";

/** From the least to the one that may do everything; user group tokens are for themselves. */
const SCOPES: readonly Scope[] = ["read", "embed", "write", "admin"];
export type Credential = "none" | "token" | Scope;
export const CREDENTIALS: readonly Credential[] = ["none", "token", ...SCOPES];

/** What a caller gets: its own data, null without an error, or the code of an error. */
export type Outcomes = Readonly<Record<Credential, string>>;

export type Call =
  | { readonly query: string }
  | { readonly subscription: string }
  | { readonly method: string; readonly body: object };

/** One way to call a field of the GraphQL schema, or a method of the REST API. */
export interface AccessRow {
  readonly of: string;
  readonly outcomes: Outcomes;
  /** @param ids of the objects that are named @param own of objects of the caller */
  readonly call: (ids: AccessIds, own: AccessIds) => Call;
}

/** The outcomes of what keys may do from a scope on, and user group tokens not at all. */
export function from(scope: Scope, others: Partial<Outcomes> = {}): Outcomes {
  const least = SCOPES.indexOf(scope);
  const of = (each: Scope) => (SCOPES.indexOf(each) >= least ? "ok" : "FORBIDDEN");
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

/** A value as GraphQL text. */
export const q = (value: unknown) => JSON.stringify(value);
export const GROUP = "{ id providedId name version }";
export const ERRORS = "userErrors { code field message }";

export function query(of: string, outcomes: Outcomes, text: (ids: AccessIds) => string): AccessRow {
  return { of, outcomes, call: (ids) => ({ query: `{ ${text(ids)} }` }) };
}

/** @param fields what is selected of the payload; of what is created, nothing that differs each time */
export function mutation(
  of: string,
  scope: Scope,
  input: (ids: AccessIds, own: AccessIds) => string,
  fields: string,
  others: Partial<Outcomes> = {},
): AccessRow {
  const call: AccessRow["call"] = (ids, own) => ({
    query: `mutation { ${of}(input: { ${input(ids, own)} }) { ${fields} ${ERRORS} } }`,
  });
  return { of, outcomes: from(scope, others), call };
}

export function rest(
  of: string,
  scope: Scope,
  body: (ids: AccessIds, own: AccessIds) => object,
  others: Partial<Outcomes> = {},
): AccessRow {
  // REST takes no user group token as a credential.
  const outcomes = from(scope, { token: "UNAUTHENTICATED", ...others });
  return { of, outcomes, call: (ids, own) => ({ method: of, body: body(ids, own) }) };
}
