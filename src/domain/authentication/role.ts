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

/** The claims that the provider sent in one place: the ID token, or UserInfo. */
type Claims = Readonly<Record<string, unknown>>;

interface RoleOptions {
  readonly roles: readonly RoleRule[];
  /** Whether an e-mail address counts if no source says whether it is verified. */
  readonly trustsEmail: boolean;
}

/**
 * Returns the name that the audit log records of a person, and the highest role in each account, in the order of the rules.
 * @param id the subject
 * @param sources in ascending precedence
 */
export function identifyPerson(id: string, sources: readonly Claims[], { roles, trustsEmail }: RoleOptions) {
  const email = findEmail(sources, trustsEmail);
  const claims: Claims = { ...Object.assign({}, ...sources), email, sub: id };
  const scopes = new Map<string, Scope>();
  for (const { claim, value, account, scope } of roles) {
    const known = scopes.get(account);
    if ([claims[claim]].flat().includes(value) && !(known && hasScope(known, scope)))
      scopes.set(account, scope);
  }
  return {
    name: nameOf(claims),
    roles: [...scopes].map(([account, scope]): Role => ({ account, scope })),
  };
}

/**
 * Returns the person's e-mail address, which anybody could claim, only if a source that has it says that it is verified, and no source says
 * anything else.
 */
function findEmail(sources: readonly Claims[], trustsEmail: boolean): string | undefined {
  const email = sources.findLast((source) => "email" in source)?.["email"];
  if (typeof email !== "string") return undefined;
  const judging = sources.filter((source) => "email_verified" in source);
  const verified = judging.filter(({ email_verified: value }) => value === true || value === "true");
  if (verified.length < judging.length) return undefined;
  const isVerified = verified.some((source) => source["email"] === email);
  return isVerified || (trustsEmail && judging.length === 0) ? email : undefined;
}

/** Returns the e-mail address or else the name, unless it could be taken for an address, or else the subject. */
function nameOf({ email, name, sub }: Claims): string {
  const [shown = ""] = [email, typeof name === "string" && name.includes("@") ? undefined : name, sub]
    .map((text) => (typeof text === "string" ? text.replace(/\p{C}/gu, "").trim() : ""))
    .filter((text) => text !== "");
  return [...shown].slice(0, MAX_TEXT_LENGTH).join("");
}

/** Creates the error for a session in the console that has ended. */
export function signedOut(): DomainError {
  return new DomainError("unauthenticated", "This session was signed out. Sign in again.");
}

/** Creates the error for a session whose roles were read too long ago. */
export function staleRoles(): DomainError {
  return new DomainError("unauthenticated", "Your role must be confirmed by the identity provider again.");
}
