import { MAX_SESSION_SECONDS } from "./embed-session.js";

export const SIGNING_ALGORITHM = "ES256";

const MINUTE_MS = 60_000;

/** How long verifiers may cache the public keys. */
export const KEY_SET_MAX_AGE_S = 300;

/** How long a process caches the keys: another process may have added one. */
export const KEY_CACHE_MS = MINUTE_MS;

/** Time for which a new key is published before it signs: verifiers' caches must have expired by then. */
export const SIGNING_LEAD_MS = 15 * MINUTE_MS;

/** The same for keys of session templates: dashboard tools keep key sets for up to an hour, and do not look for unknown keys before. */
export const TEMPLATE_SIGNING_LEAD_MS = 90 * MINUTE_MS;

/** Time for which a retired key is accepted: until its last session has expired, and five minutes for caches and clocks. */
export const ACCEPTED_AFTER_RETIREMENT_MS = MAX_SESSION_SECONDS * 1000 + 5 * MINUTE_MS;

/** A key that signs embed sessions or tokens for other tools, between two times. */
export interface SigningKey {
  /** The `kid`: the JWK thumbprint. */
  readonly id: string;
  readonly createdAt: Date;
  readonly signsFrom: Date;
  /** The time from which the next key signs; null for the newest key. */
  readonly retiredFrom: Date | null;
}

type SigningKeyState = "published" | "signing" | "retired";

/** Returns the time until which sessions with this key are accepted; null if no end is known yet. */
export function acceptedUntil({ retiredFrom }: SigningKey): Date | null {
  return retiredFrom && new Date(retiredFrom.getTime() + ACCEPTED_AFTER_RETIREMENT_MS);
}

/** Returns whether a key is published, and sessions with it are accepted. */
export function isAccepted(key: SigningKey, now: Date): boolean {
  const end = acceptedUntil(key);
  return end === null || now < end;
}

/** Returns the key that signs now. @param keys in the order in which they sign */
export function signingKeyAt<Key extends SigningKey>(keys: readonly Key[], now: Date): Key | undefined {
  // The first key signs even if this process's clock is behind that of the database.
  return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
}

export function signingKeyState(key: SigningKey, now: Date): SigningKeyState {
  if (key.retiredFrom && key.retiredFrom <= now) return "retired";
  return key.signsFrom <= now ? "signing" : "published";
}
