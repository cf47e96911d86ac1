import { DomainError } from "../../domain/shared/errors.js";
import type { WatchedGroup } from "../../persistence/user-groups/watched-group-queries.js";

/** With what somebody watches a group: an API key, or a token of the group by the hashes that may find it. */
export type WatchCredential =
  | { readonly kind: "apiKey"; readonly keyId: number }
  | { readonly kind: "token"; readonly lookups: readonly Buffer[] };

/** A group that is watched, and the API keys of those who do, at one moment. */
export interface WatchState {
  /** Null when it is gone. */
  readonly group: WatchedGroup | null;
  /** When each of the valid keys expires; null: never. */
  readonly activeKeys: ReadonlyMap<number, Date | null>;
}

/** @returns when the credential expires, null for never; undefined for one that is not valid any more */
export function expiryOf(
  credential: WatchCredential,
  { group, activeKeys }: WatchState,
): Date | null | undefined {
  if (credential.kind === "apiKey") return activeKeys.get(credential.keyId);
  if (!group) return undefined;
  const { tokenLookup, previousToken } = group;
  const { lookups } = credential;
  if (lookups.some((lookup) => lookup.equals(tokenLookup))) return null;
  const isPrevious = previousToken && lookups.some((lookup) => lookup.equals(previousToken.lookup));
  return isPrevious ? previousToken.expiresAt : undefined;
}

/** The error with which those end whose credential is not valid any more. */
export function credentialEnded({ kind }: WatchCredential): DomainError {
  return new DomainError(
    "unauthenticated",
    kind === "apiKey"
      ? "The API key was revoked or has expired."
      : "The user group token is unknown or was rotated.",
  );
}
