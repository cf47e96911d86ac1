import type { Actor } from "../accounts/actor.js";
import type { Tenant } from "../accounts/caller.js";
import { DomainError, type FieldPath, invalidField } from "../shared/errors.js";
import { parseText } from "../shared/text-field.js";
import { countValues } from "./document/value-count.js";

/** The site of whoever names none. */
export const DEFAULT_SITE = "default";

/** The most bytes of a document, as UTF-8. */
export const MAX_SITE_CONFIG_BYTES = 2 * 1024 * 1024;

/** The most values of a document, objects and lists among them: each takes some hundred bytes of memory while it is checked. */
export const MAX_SITE_CONFIG_VALUES = 250_000;

/** Control characters, separators of lines and paragraphs, and changes of direction. */
const STEERING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The configuration of one documentation site, without its text. */
export interface SiteConfig {
  readonly id: number;
  readonly site: string;
  /** Whether everybody may read it over HTTP, from the revision on that was the current one when it was opened. */
  readonly isPublic: boolean;
  /** The number of the current revision: they count from 1, without gaps. */
  readonly revision: number;
  /** Of the current text, in bytes. */
  readonly size: number;
  readonly createdAt: Date;
  /** When the current revision was written. */
  readonly updatedAt: Date;
}

/** One state of a site's configuration, without its text; it never changes. */
export interface SiteConfigRevision extends RevisionRef {
  /** The name that the author's API key had then. */
  readonly author: string;
  /** Null for whoever worked at the database, with no key. */
  readonly authorKeyId: number | null;
  /** The revision that was brought back, when this is a copy of an earlier one. */
  readonly restoredFrom: number | null;
  /** Of the text, in bytes. */
  readonly size: number;
  readonly createdAt: Date;
}

/** Names one revision. */
export interface RevisionRef {
  readonly siteConfigId: number;
  readonly revision: number;
}

/** Who changes the site configurations of an environment: a caller who may write, or somebody at the database. */
export interface Editor extends Tenant {
  readonly actor: Actor;
}

/** Reads the name of a site, which is a part of its path and is shown in terminals. @throws DomainError `invalid_field` */
export function parseSite(site: string | null | undefined, field: FieldPath): string {
  const name = parseText(site ?? DEFAULT_SITE, field);
  // Programs resolve such steps of a path before they send it.
  if (name === "." || name === "..") throw invalidField(field, 'must not be "." or ".."');
  if (STEERING.test(name)) {
    throw invalidField(field, "must not contain control characters, line separators or changes of direction");
  }
  return name;
}

/** The error of a site that has no configuration. */
export function missingSite({ environment }: Tenant, site: string): DomainError {
  const message = `There is no configuration of the site ${JSON.stringify(site)} in ${environment}.`;
  return new DomainError("site_config_not_found", message, { field: ["site"] });
}

/** The error of a number that no revision of a site has. */
export function missingRevision({ revision: latest }: SiteConfig, revision: number): DomainError {
  const message = `The site has no revision ${revision}; the latest is ${latest}.`;
  return new DomainError("site_config_not_found", message, { field: ["revision"] });
}

/** @throws DomainError `invalid_field` for a text that is too long, or has too many values, to be stored */
export function requireSize(text: string, field: FieldPath): void {
  if (Buffer.byteLength(text) > MAX_SITE_CONFIG_BYTES) {
    throw invalidField(field, `must take at most ${MAX_SITE_CONFIG_BYTES} bytes`);
  }
  if (text.length > MAX_SITE_CONFIG_VALUES && countValues(text) > MAX_SITE_CONFIG_VALUES) {
    throw invalidField(field, `must have at most ${MAX_SITE_CONFIG_VALUES} values`);
  }
}
