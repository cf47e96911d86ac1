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

/**
 * Returns the name that the audit log records of a person, and the highest role in each account, in the order of the rules.
 * @param sent the claims of the identity provider; an e-mail address that it does not confirm is ignored
 */
export function identifyPerson(rules: readonly RoleRule[], sent: Readonly<Record<string, unknown>>) {
  const claims = sent["email_verified"] === false ? { ...sent, email: undefined } : sent;
  const scopes = new Map<string, Scope>();
  for (const { claim, value, account, scope } of rules) {
    const known = scopes.get(account);
    if ([claims[claim]].flat().includes(value) && !(known && hasScope(known, scope)))
      scopes.set(account, scope);
  }
  const names = [claims["email"], claims["name"], claims["sub"]].map((text) =>
    typeof text === "string" ? text.replace(/\p{C}/gu, "").trim() : "",
  );
  return {
    name: [...(names.find((text) => text !== "") ?? "")].slice(0, MAX_TEXT_LENGTH).join(""),
    roles: [...scopes].map(([account, scope]): Role => ({ account, scope })),
  };
}

/** Creates the error for a session whose roles were read too long ago. */
export function staleRoles(): DomainError {
  return new DomainError("unauthenticated", "Your role must be confirmed by the identity provider again.");
}
