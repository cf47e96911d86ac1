import type { Actor, Tenant } from "../accounts/caller.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";
import { parseText } from "../shared/text-field.js";

/** A string with the colon after a key, an opening bracket, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?\s*(:?)|[[{]|[^\s[\]{},:"]+/gs;

/** Counts the values of a JSON text without parsing it; approximate if the text is not valid JSON. */
export function countValues(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(TOKEN)) if (colon !== ":") count += 1;
  return count;
}

/** Site name if the request names none. */
export const DEFAULT_SITE = "default";

/** Maximum size of a document in UTF-8 bytes. */
export const MAX_SITE_CONFIG_BYTES = 256 * 1024;

/** Maximum number of values, including objects and arrays: each takes microseconds of the event loop. */
export const MAX_SITE_CONFIG_VALUES = 10_000;

const SITE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The rule for the names of new sites, for descriptions. */
export const SITE_NAME_RULE =
  "1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`, the first a letter or digit";

/** The configuration of one site, without its text. */
export interface SiteConfig {
  readonly id: number;
  readonly site: string;
  /** Whether anyone may read it over HTTP, starting with the revision that was current when it was made public. */
  readonly isPublic: boolean;
  /** The current revision, counted from 1 without gaps. */
  readonly revision: number;
  /** Size of the current text in bytes. */
  readonly size: number;
  readonly createdAt: Date;
  /** When the current revision was created. */
  readonly updatedAt: Date;
}

/** An immutable revision of a site's configuration, without its text. */
export interface SiteConfigRevision extends RevisionRef {
  /** Name of the author's API key at that time. */
  readonly author: string;
  /** Null for changes made with direct database access. */
  readonly authorKeyId: number | null;
  /** The restored revision, if this is a copy of an earlier one. */
  readonly restoredFrom: number | null;
  /** Size of the text in bytes. */
  readonly size: number;
  readonly createdAt: Date;
}

/** Identifies one revision. */
export interface RevisionRef {
  readonly siteConfigId: number;
  readonly revision: number;
}

/** A caller with write access, or an operator with direct database access. */
export interface Editor extends Tenant {
  readonly actor: Actor;
}

/** Parses the name of a site, which need not be valid for a new one. @throws DomainError `invalid_field` */
export function parseSite(site: string, field: FieldPath): string {
  return parseText(site, field);
}

/**
 * Checks the name of a new site, which is used in URL paths, file names and terminals. Earlier versions accepted other names.
 * @throws DomainError `invalid_field`
 */
export function requireSiteName(site: string): void {
  if (!SITE_NAME.test(site)) throw invalidField(["site"], `must be ${SITE_NAME_RULE}`);
}

/** Creates the error for a site without a configuration. */
export function siteNotFound({ environment }: Tenant, site: string): DomainError {
  const message = `The site ${JSON.stringify(site)} has no configuration in the environment ${environment}.`;
  return new DomainError("site_config_not_found", message, { field: ["site"] });
}

/** Creates the error for an unknown revision. */
export function revisionNotFound({ revision: latest }: SiteConfig, revision: number): DomainError {
  const message = `The site has no revision ${revision}; the latest is ${latest}.`;
  return new DomainError("site_config_not_found", message, { field: ["revision"] });
}

/** @throws DomainError `invalid_field` if a text has too many bytes or values to be stored */
export function requireSize(text: string, field: FieldPath): void {
  if (Buffer.byteLength(text) > MAX_SITE_CONFIG_BYTES) {
    throw invalidField(field, `must be at most ${MAX_SITE_CONFIG_BYTES} bytes`);
  }
  if (text.length > MAX_SITE_CONFIG_VALUES && countValues(text) > MAX_SITE_CONFIG_VALUES) {
    throw invalidField(field, `must have at most ${MAX_SITE_CONFIG_VALUES} values`);
  }
}
