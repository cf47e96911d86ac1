/** An entity tag with a base64url SHA-256. Proxies may have weakened it (`W/`). */
const TAG = /(?:W\/)?"([\w-]{43})"/g;

/** Returns the entity tag of a text's SHA-256. */
export function toEntityTag(hash: Buffer): string {
  return `"${hash.toString("base64url")}"`;
}

/** Returns the hashes in an If-None-Match header, or null for `*`. Foreign tags are ignored. */
export function readKnownHashes(header: string | undefined): Buffer[] | null {
  if (header === "*") return null;
  return [...(header ?? "").matchAll(TAG)].map(([, hash = ""]) => Buffer.from(hash, "base64url"));
}
