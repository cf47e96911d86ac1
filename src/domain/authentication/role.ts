import { hasScope, type Scope } from "../accounts/caller.js";
import { DomainError } from "../shared/errors.js";
import { MAX_TEXT_LENGTH } from "../shared/text-field.js";

/** The scope of people in an account. */
export interface Role {
  readonly account: string;
  readonly scope: Scope;
}

/** A role for people whose claim is the value, or is a list with it. */
export interface RoleRule extends Role {
  readonly claim: string;
  readonly value: string;
}

/** The claims about a person, as the identity provider sends them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns a person's highest role in each account, in the order of the rules. An e-mail address that is not verified is ignored. */
export function rolesOf(rules: readonly RoleRule[], claims: Claims): readonly Role[] {
  const scopes = new Map<string, Scope>();
  for (const { claim, value, account, scope } of rules) {
    if (![verified(claims)[claim]].flat().includes(value)) continue;
    const known = scopes.get(account);
    if (known === undefined || hasScope(scope, known)) scopes.set(account, scope);
  }
  return [...scopes].map(([account, scope]) => ({ account, scope }));
}

/** Returns the name that the audit log records: the e-mail address, the name or else the subject. */
export function nameOf(claims: Claims): string {
  const { email, name, sub } = verified(claims);
  const texts = [email, name, sub].map((text) =>
    typeof text === "string" ? text.replace(/\p{C}/gu, "").trim() : "",
  );
  return [...(texts.find((text) => text !== "") ?? "")].slice(0, MAX_TEXT_LENGTH).join("");
}

/** Creates the error for a session whose roles were read too long ago. */
export function staleRoles(): DomainError {
  return new DomainError("unauthenticated", "Your role must be confirmed by the identity provider again.");
}

function verified(claims: Claims): Claims {
  return claims["email_verified"] === false ? { ...claims, email: undefined } : claims;
}
