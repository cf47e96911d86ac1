import type { IncomingHttpHeaders } from "node:http";
import { invalidField } from "../domain/shared/errors.js";
import { parseInternalId, parseRevisionNumber } from "../domain/shared/internal-id.js";
import type { ExpectedVersions } from "../domain/user-groups/user-group.js";

/** A member of a list, with its separators left out; commas in quotes belong to it. */
const MEMBERS = /(?:"[^"]*"?|[^",])+/g;
const TAG = /^(?:W\/)?"([^"]*)"$/;
/** An entity tag with a base64url SHA-256, as sent or as changed by a proxy that compresses replies. */
const HASH_TAG = /(?:W\/)?"([\w-]{43})(?:-gzip|-br)?"/g;
/** Apache's suffixes of the tags of replies that it compresses. */
const COMPRESSED = /-(?:gzip|br)$/;

type Headers = Pick<IncomingHttpHeaders, "if-match" | "if-none-match">;

/** Returns the entity tag of a text's SHA-256. */
export function toEntityTag(hash: Buffer): string {
  return `"${hash.toString("base64url")}"`;
}

/**
 * Parses If-Match (RFC 9110, section 13.1.1). Proxies that compress replies make tags weak or give them a suffix: such a tag matches, too,
 * because what it identifies is the stored state and not the bytes of a reply.
 * @returns the tags without quotes and `W/`, each with a suffix both with and without it; null for `*`
 * @throws DomainError `invalid_field`
 */
export function parseIfMatch(header: string): readonly string[] | null {
  if (header === "*") return null;
  // Empty members of lists are ignored (section 5.6.1.2).
  const members = (header.match(MEMBERS) ?? [])
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const tags = members.map((member) => TAG.exec(member)?.[1]).filter((tag) => tag !== undefined);
  if (tags.length === 0 || tags.length < members.length)
    throw invalidField(["If-Match"], "must be entity tags in quotes, as in an ETag, or *");
  return [...new Set(tags.flatMap((tag) => [tag, tag.replace(COMPRESSED, "")]))];
}

/**
 * Parses the precondition of a change.
 * @returns the tags of If-Match; "exists" for `*`; "absent" for `*` in If-None-Match; undefined without one
 * @throws DomainError `invalid_field`
 */
export function parsePrecondition({
  "if-match": ifMatch,
  "if-none-match": ifNoneMatch,
}: Headers): readonly string[] | "exists" | "absent" | undefined {
  if (ifNoneMatch === undefined)
    return ifMatch === undefined ? undefined : (parseIfMatch(ifMatch) ?? "exists");
  const field = ["If-None-Match"];
  if (ifNoneMatch !== "*") throw invalidField(field, "must be * for a change");
  if (ifMatch !== undefined) throw invalidField(field, "must not be sent together with If-Match");
  return "absent";
}

/** Parses the precondition of a change of a group. Foreign tags match no version. @throws DomainError `invalid_field` */
export function parseExpectedVersions(headers: Headers): ExpectedVersions | undefined {
  const condition = parsePrecondition(headers);
  if (condition === "absent") return condition;
  if (condition === undefined || condition === "exists") return undefined;
  return condition.flatMap((tag) => {
    const [teamId = "", number = "", ...others] = tag.split("-");
    const id = parseInternalId(teamId);
    const version = parseRevisionNumber(number);
    return id === null || version === null || others.length > 0 ? [] : [{ id, version }];
  });
}

/** @throws DomainError `invalid_field` for a precondition of a request that can have none: it must not be ignored */
export function refusePrecondition(headers: Headers): void {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const field = [ifMatch === undefined ? "If-None-Match" : "If-Match"];
  throw invalidField(field, "is not supported by this operation");
}

/** Returns the hashes in an If-None-Match header, or null for `*`. Foreign tags are ignored. */
export function readKnownHashes(header: string | undefined): Buffer[] | null {
  if (header === "*") return null;
  return [...(header ?? "").matchAll(HASH_TAG)].map(([, hash = ""]) => Buffer.from(hash, "base64url"));
}
