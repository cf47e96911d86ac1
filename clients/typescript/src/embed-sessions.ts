import { decodeBase64, parseJwtPart } from "./encoding.js";
import { UserGroupsError } from "./errors.js";
import { type KeySet, loadKeySet } from "./key-set-cache.js";
import { isJsonObject, type JsonObject } from "./reply.js";

/** An embed session to create, of the group with this ID or token. */
export type CreateEmbedSession = {
  /** Lifetime in seconds, 60 to 86,400. Default: 900. */
  readonly expiresIn?: number | undefined;
  /** A JSON object of at most 4,096 bytes. The page's user can read it. */
  readonly variables?: object | null | undefined;
} & ({ readonly providedId: string } | { readonly currentToken: string });

/** A created embed session. */
export interface EmbedSession {
  /** A short-lived token for a page of this group. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** A token to create for another tool, of the group with this ID or token, by a session template. */
export type CreateTemplateSession = CreateEmbedSession & {
  /** The name of the template, whose lifetime `expiresIn` can only shorten. */
  readonly template: string;
};

/** A token for another tool. */
export interface TemplateSession extends EmbedSession {
  readonly template: string;
  /** The address of the tool's frame with the token; null if the template has none. */
  readonly url: string | null;
}

/** Keys and expectations to verify an embed session with. */
export type EmbedSessionVerification = {
  /** Your account's name and environment: `acme/Customer`. */
  readonly audience: string;
} & (
  | {
      /** The service's `/.well-known/jwks.json`. It is loaded when it is needed, and at the latest again after five minutes. */
      readonly keySetUrl: string | URL;
    }
  | {
      /** Keys that you have loaded yourself. Cache them for up to five minutes. */
      readonly keySet: KeySet;
    }
);

/** The content of a verified embed session. */
export interface VerifiedEmbedSession {
  /** The internal ID of the group. */
  readonly teamId: number;
  readonly environment: "Customer" | "Testing";
  readonly expiresAt: Date;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The session is not from the service, not for this audience, or has expired: answer 401. */
export class EmbedSessionVerificationError extends UserGroupsError {
  override readonly name = "EmbedSessionVerificationError";
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/**
 * Verifies an embed session without asking the service about it. A rotation of the group's token ends its sessions on the service, but is not
 * visible here: keep lifetimes short.
 * @throws EmbedSessionVerificationError; ConnectionError if the keys cannot be loaded
 */
export async function verifyEmbedSession(
  token: string,
  { audience, ...keys }: EmbedSessionVerification,
): Promise<VerifiedEmbedSession> {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".");
  const { alg, typ, kid, crit } = parsePart(header);
  // The algorithm is never that of the token's choice.
  if (rest.length > 0 || alg !== "ES256" || typ !== "embed+jwt" || crit !== undefined) throw invalid();
  const keySet = "keySet" in keys ? keys.keySet : await loadKeySet(keys.keySetUrl, kid);
  const jwk = keySet.keys.find((key) => key["kid"] === kid && key["kty"] === "EC");
  if (!jwk) throw invalid("Its key is not in the key set.");
  const { kty, crv, x, y } = jwk;
  const key = await crypto.subtle.importKey("jwk", Object({ kty, crv, x, y }), ALGORITHM, false, ["verify"]);
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  if (!(await crypto.subtle.verify(ALGORITHM, key, decodeBase64(signature), signed)))
    throw invalid("Its signature is invalid.");
  return readClaims(parsePart(payload), audience);
}

function readClaims(
  { iss, aud, sub, exp, environment, variables }: JsonObject,
  audience: string,
): VerifiedEmbedSession {
  if (iss !== "user-groups" || aud !== audience) throw invalid(`It is not for \`${audience}\`.`);
  const isEnvironment = environment === "Customer" || environment === "Testing";
  if (typeof exp !== "number" || typeof sub !== "string" || !isEnvironment || !isJsonObject(variables))
    throw invalid();
  if (exp * 1000 <= Date.now()) throw invalid("It has expired.");
  return { teamId: Number(sub), environment, expiresAt: new Date(exp * 1000), variables };
}

function parsePart(part: string): JsonObject {
  const claims = parseJwtPart(part);
  if (claims) return claims;
  throw invalid();
}

function invalid(reason = ""): EmbedSessionVerificationError {
  return new EmbedSessionVerificationError(`The token is not a valid embed session. ${reason}`.trimEnd());
}
