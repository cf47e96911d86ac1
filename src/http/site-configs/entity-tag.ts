/** SHA-256 in base64url, between the quotes of an entity tag, which a proxy may have made weak. */
const TAG = /(?:W\/)?"([\w-]{43})"/g;

/** The entity tag of a text with this SHA-256: equal texts have the same. */
export function toEntityTag(hash: Buffer): string {
  return `"${hash.toString("base64url")}"`;
}

/** The hashes that an If-None-Match header names, null for `*`, which is all of them; tags that are none of ours are left out. */
export function readKnownHashes(header: string | undefined): Buffer[] | null {
  if (header === "*") return null;
  return [...(header ?? "").matchAll(TAG)].map(([, hash = ""]) => Buffer.from(hash, "base64url"));
}
