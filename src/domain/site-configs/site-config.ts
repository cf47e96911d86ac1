import type { Actor } from "../accounts/actor.js";
import type { Tenant } from "../accounts/caller.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";
import { parseText } from "../shared/text-field.js";
import { countValues } from "./document/value-count.js";

/** Site name if the request names none. */
export const DEFAULT_SITE = "default";

/** Maximum size of a document in UTF-8 bytes. */
export const MAX_SITE_CONFIG_BYTES = 2 * 1024 * 1024;

/** Maximum number of values, including objects and arrays: each takes a few hundred bytes of memory during validation. */
export const MAX_SITE_CONFIG_VALUES = 250_000;

/** Control characters, line and paragraph separators, and bidirectional formatting characters. */
const UNSAFE_CHARACTERS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

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

/** Validates a site name, which is used in URL paths and shown in terminals. @throws DomainError `invalid_field` */
export function parseSite(site: string, field: FieldPath): string {
  const name = parseText(site, field);
  // Clients resolve dot segments before they send the path.
  if (name === "." || name === "..") throw invalidField(field, 'must not be "." or ".."');
  if (UNSAFE_CHARACTERS.test(name)) {
    throw invalidField(
      field,
      "must not contain control characters, line separators or bidirectional formatting characters",
    );
  }
  return name;
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
