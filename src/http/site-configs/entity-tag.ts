import type { IncomingHttpHeaders } from "node:http";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { parseRevisionNumber } from "../../domain/shared/internal-id.js";

/** An entity tag with a base64url SHA-256. Proxies may have weakened it (`W/`). */
const TAG = /(?:W\/)?"([\w-]{43})"/g;

/** Returns the entity tag of a text's SHA-256. */
export function toEntityTag(hash: Buffer): string {
  return `"${hash.toString("base64url")}"`;
}

/** The precondition of a request. */
export type Precondition =
  /** Any state. */
  | { readonly kind: "none" }
  /** The site must exist. */
  | { readonly kind: "exists" }
  /** The site must be at this revision; 0 if it must not exist. */
  | { readonly kind: "revision"; readonly revision: number }
  /** The text of the site must have this SHA-256. */
  | { readonly kind: "text"; readonly hash: Buffer };

/**
 * Parses the headers If-Match, which has an entity tag of a reply, a revision number in quotes, or `*`; and If-None-Match, which must be `*`.
 * @throws DomainError `invalid_field`
 */
export function parsePrecondition(headers: IncomingHttpHeaders): Precondition {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== "*") throw invalidField(["If-None-Match"], "must be * for a change");
    if (ifMatch !== undefined)
      throw invalidField(["If-None-Match"], "must not be sent together with If-Match");
    return { kind: "revision", revision: 0 };
  }
  if (ifMatch === undefined) return { kind: "none" };
  if (ifMatch === "*") return { kind: "exists" };
  const [, revisionText = ""] = /^"([1-9]\d*)"$/.exec(ifMatch) ?? [];
  const revision = parseRevisionNumber(revisionText);
  if (revision !== null) return { kind: "revision", revision };
  const [hash, ...others] = readKnownHashes(ifMatch) ?? [];
  if (hash && others.length === 0) return { kind: "text", hash };
  throw invalidField(["If-Match"], "must be one entity tag, a revision number in quotes, or *");
}

/** @throws DomainError `version_conflict` unless the revision meets the condition */
export function requireMatch(
  condition: Precondition,
  { revision, hash }: { readonly revision: number; readonly hash: Buffer },
): void {
  const isOther =
    (condition.kind === "revision" && condition.revision !== revision) ||
    (condition.kind === "text" && !condition.hash.equals(hash));
  if (isOther) throw unmatched(`The site configuration is at revision ${revision}, not the expected one.`);
}

/** Returns the error of a revision, or a missing site, that does not meet If-Match. */
export function unmatched(message: string): DomainError {
  return new DomainError("version_conflict", message, { field: ["If-Match"] });
}

/** Returns the hashes in an If-None-Match header, or null for `*`. Foreign tags are ignored. */
export function readKnownHashes(header: string | undefined): Buffer[] | null {
  if (header === "*") return null;
  return [...(header ?? "").matchAll(TAG)].map(([, hash = ""]) => Buffer.from(hash, "base64url"));
}
