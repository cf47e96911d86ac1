import type { TenantKey } from "../accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../accounts/environment.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { isAccountId, isInternalId, parseInternalId } from "../shared/internal-id.js";
import { isObject, type JsonObject } from "../shared/json.js";
import { parseJsonObject } from "../shared/json-value.js";

/** Lifetime of embed sessions in seconds (decision 15a). */
export const MIN_SESSION_SECONDS = 60;
export const DEFAULT_SESSION_SECONDS = 900;
export const MAX_SESSION_SECONDS = 86_400;

/** Limits of a session's variables: the token must fit into an Authorization header. */
export const MAX_VARIABLES_BYTES = 4096;
export const MAX_VARIABLES_DEPTH = 16;

/** How far the clock of the process that created a session may be ahead. */
const CLOCK_LEEWAY_SECONDS = 60;

/** `iss` of embed sessions. */
export const SESSION_ISSUER = "user-groups";
/** `typ` of embed sessions, which distinguishes them from imported tokens that are JWTs, too. */
export const SESSION_TYPE = "embed+jwt";

/** Parameters of a new embed session. */
export interface EmbedSessionRequest {
  readonly expiresInSeconds: number;
  readonly variables: JsonObject;
}

/** A verified embed session of a front end (decision 15a). */
export interface EmbedSession {
  /** The generation of the group's token; its rotation ends the session. */
  readonly generation: number;
  /** The API key that created the session; its revocation ends the session. Undefined for people, and sessions of versions that did not name it. */
  readonly keyId: number | undefined;
  readonly expiresAt: Date;
  readonly variables: JsonObject;
}

/** The claims of an embed session, besides issuer and audience. */
export interface SessionClaims extends TenantKey, EmbedSession {
  /** The internal ID. */
  readonly userGroupId: number;
}

/** Returns the `aud` of an account's sessions: a verifier must not accept those of another account or environment. */
export function sessionAudience(accountName: string, environment: Environment): string {
  return `${accountName}/${environment}`;
}

/** Returns when a new session expires, in seconds since 1970: with its API key at the latest. */
export function sessionExpiry(issuedAt: number, seconds: number, keyExpiresAt: Date | null): number {
  const keyExpiry = keyExpiresAt ? Math.floor(keyExpiresAt.getTime() / 1000) : Number.POSITIVE_INFINITY;
  return Math.min(issuedAt + seconds, keyExpiry);
}

/** Returns the claims as in the token, besides those that JWT registers. */
export function writeSessionClaims(claims: Omit<SessionClaims, "userGroupId" | "expiresAt">) {
  const { accountId, environment, generation, keyId, variables } = claims;
  return { account_id: accountId, environment, generation, api_key_id: keyId, variables };
}

/** Parses the claims of a verified token; null if they are not those of an embed session that the service could have created. */
export function parseSessionClaims(payload: Readonly<Record<string, unknown>>): SessionClaims | null {
  const { sub, account_id: accountId, environment: name, generation, api_key_id: keyId, variables } = payload;
  const { iat, exp } = payload;
  const userGroupId = typeof sub === "string" ? parseInternalId(sub) : null;
  const environment = ENVIRONMENTS.find((each) => each === name);
  if (userGroupId === null || !environment || !isObject(variables)) return null;
  if (!isAccountId(accountId) || !isInternalId(generation)) return null;
  if (keyId !== undefined && !isInternalId(keyId)) return null;
  if (!isInternalId(iat) || !isInternalId(exp) || exp - iat > MAX_SESSION_SECONDS) return null;
  if (iat > Date.now() / 1000 + CLOCK_LEEWAY_SECONDS) return null;
  const rules = { maxDepth: MAX_VARIABLES_DEPTH, storable: false };
  return {
    accountId,
    environment,
    userGroupId,
    generation,
    keyId,
    expiresAt: new Date(exp * 1000),
    variables: parseJsonObject(variables, ["variables"], rules),
  };
}

/** Returns whether a text looks like an embed session; its signature is not checked. */
export function isEmbedSession(text: string): boolean {
  const [, header] = /^([\w-]+)\.[\w-]+\.[\w-]*$/.exec(text) ?? [];
  if (header === undefined) return false;
  try {
    return Object(JSON.parse(Buffer.from(header, "base64url").toString("utf8"))).typ === SESSION_TYPE;
  } catch {
    return false;
  }
}

/** Parses the lifetime in seconds; 15 minutes if absent. @throws DomainError `invalid_field` */
export function parseSessionLifetime(value: unknown, field: FieldPath): number {
  if (value === undefined || value === null) return DEFAULT_SESSION_SECONDS;
  if (
    typeof value !== "number" ||
    !Number.isInteger(value) ||
    value < MIN_SESSION_SECONDS ||
    value > MAX_SESSION_SECONDS
  ) {
    throw invalidField(field, `must be a whole number from ${MIN_SESSION_SECONDS} to ${MAX_SESSION_SECONDS}`);
  }
  return value;
}

/** Parses the variables of a session; none if absent. @throws DomainError `invalid_field` */
export function parseSessionVariables(value: unknown, field: FieldPath): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidField(field, "must be a JSON object or null");
  const variables = parseJsonObject(value, field, { maxDepth: MAX_VARIABLES_DEPTH, storable: false });
  if (Buffer.byteLength(JSON.stringify(variables)) > MAX_VARIABLES_BYTES) {
    throw invalidField(field, `must be at most ${MAX_VARIABLES_BYTES} bytes of JSON`);
  }
  return variables;
}
