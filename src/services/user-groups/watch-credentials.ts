import type { FollowedSession } from "../../domain/accounts/caller.js";
import { sessionError } from "../../domain/authentication/authorization.js";
import { signedOut, staleRoles } from "../../domain/authentication/role.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { SubscribedGroup } from "../../persistence/user-groups/subscribed-group-queries.js";

/** An embed session, valid for one generation of the group's token and as long as its API key. */
interface SessionCredential {
  readonly kind: "embedSession";
  readonly generation: number;
  readonly keyId: number | undefined;
  readonly expiresAt: Date;
}

/** Credential of a subscription: an API key, a person until the roles must be read again, a token of the group by its possible hashes, or an embed session. */
export type WatchCredential =
  | { readonly kind: "apiKey"; readonly keyId: number; readonly session: FollowedSession | undefined }
  | { readonly kind: "token"; readonly lookups: readonly Buffer[] }
  | { readonly kind: "person"; readonly expiresAt: Date; readonly session: FollowedSession | undefined }
  | SessionCredential;

/** The credential presented to watch groups. */
export type SubscriberCredential =
  | Exclude<WatchCredential, { readonly kind: "token" }>
  | { readonly kind: "token"; readonly token: string };

/** A consistent snapshot of a group and its subscribers' API keys. */
export interface WatchState {
  /** Null if the group was deleted. */
  readonly group: SubscribedGroup | null;
  /** Expiry of each valid key; null if it never expires. */
  readonly activeKeys: ReadonlyMap<number, Date | null>;
}

/** Returns the API key that the credential is, or that created it, if any. */
export function keyIdOf(credential: WatchCredential): number | undefined {
  return "keyId" in credential ? credential.keyId : undefined;
}

/** Returns when the credential expires: null for never, undefined if it is no longer valid. */
export function expiryOf(
  credential: WatchCredential,
  { group, activeKeys }: WatchState,
): Date | null | undefined {
  if (credential.kind === "apiKey") return activeKeys.get(credential.keyId);
  if (credential.kind === "person") return credential.expiresAt;
  if (!group) return undefined;
  const { tokenLookup, tokenGeneration, previousToken } = group;
  if (credential.kind === "embedSession") {
    const { generation, keyId, expiresAt } = credential;
    const hasKey = keyId === undefined || activeKeys.has(keyId);
    return hasKey && generation === tokenGeneration ? expiresAt : undefined;
  }
  const { lookups } = credential;
  if (lookups.some((lookup) => lookup.equals(tokenLookup))) return null;
  const isPrevious = previousToken && lookups.some((lookup) => lookup.equals(previousToken.lookup));
  return isPrevious ? previousToken.expiresAt : undefined;
}

/** Returns the error that ends a subscription whose credential is no longer valid. */
export function invalidCredentialError({ kind }: WatchCredential): DomainError {
  if (kind === "embedSession") return sessionError("ended");
  if (kind === "person") return signedOut();
  return new DomainError(
    "unauthenticated",
    kind === "apiKey"
      ? "The API key was revoked or has expired."
      : "The user group token is unknown or was rotated.",
  );
}

/** Returns the error that ends a subscription whose credential expires. */
export function expiredCredentialError(credential: WatchCredential): DomainError {
  if (credential.kind === "person") return staleRoles();
  if (credential.kind !== "embedSession") return invalidCredentialError(credential);
  return sessionError("expired");
}
