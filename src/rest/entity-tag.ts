import { invalidField } from "../domain/shared/errors.js";
import { parseRevisionNumber } from "../domain/shared/internal-id.js";

const TAG = /(?:W\/)?"[^"]*"/g;
/** Entity tags separated by commas (RFC 9110, section 8.8.3). */
const TAGS = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/;
/** An entity tag with a base64url SHA-256. Proxies may have weakened it (`W/`). */
const HASH_TAG = /(?:W\/)?"([\w-]{43})"/g;

/** Returns the entity tag of a text's SHA-256. */
export function toEntityTag(hash: Buffer): string {
  return `"${hash.toString("base64url")}"`;
}

/** Returns the entity tags in If-Match; null for `*`. @throws DomainError `invalid_field` */
export function parseIfMatch(header: string): readonly string[] | null {
  if (header === "*") return null;
  if (TAGS.test(header)) return header.match(TAG);
  throw invalidField(["If-Match"], 'must be entity tags in quotes, such as "7", or *');
}

/** Returns the versions in If-Match; undefined for any. Weak and foreign tags match none. @throws DomainError `invalid_field` */
export function parseExpectedVersions(header: string): readonly number[] | undefined {
  return parseIfMatch(header)?.flatMap((tag) => parseRevisionNumber(tag.slice(1, -1)) ?? []);
}

/** Returns the hashes in an If-None-Match header, or null for `*`. Foreign tags are ignored. */
export function readKnownHashes(header: string | undefined): Buffer[] | null {
  if (header === "*") return null;
  return [...(header ?? "").matchAll(HASH_TAG)].map(([, hash = ""]) => Buffer.from(hash, "base64url"));
}
