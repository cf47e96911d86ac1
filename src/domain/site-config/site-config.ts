import type { Actor } from "../audit-entry.js";
import type { Tenant } from "../caller.js";
import type { Environment } from "../environment.js";
import { type FieldPath, invalidField } from "../errors.js";
import { parseText } from "../text-field.js";

/** Where documents are served, each below the name of its site. */
export const SITE_CONFIG_PATH = "/site-config";

/** Whose public sites are meant where nothing is said. */
export const DEFAULT_ENVIRONMENT: Environment = "Customer";

/** The site of whoever names none. */
export const DEFAULT_SITE = "default";

/** The most bytes of a document, as UTF-8. */
export const MAX_SITE_CONFIG_BYTES = 2 * 1024 * 1024;

/** The configuration of one documentation site, without its text. */
export interface SiteConfig {
  readonly id: number;
  readonly site: string;
  /** Whether everybody may read it over HTTP. */
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

/** Reads the name of a site. @throws DomainError `invalid_field` */
export function parseSite(site: string | null | undefined, field: FieldPath): string {
  return parseText(site ?? DEFAULT_SITE, field);
}

/** @throws DomainError `invalid_field` for a text that is too long to be stored */
export function requireSize(text: string, field: FieldPath): void {
  if (Buffer.byteLength(text) > MAX_SITE_CONFIG_BYTES) {
    throw invalidField(field, `must take at most ${MAX_SITE_CONFIG_BYTES} bytes`);
  }
}

/** The path and query by which everybody reads the document of a public site. */
export function sitePath(
  site: string,
  { accountName, environment }: { readonly accountName: string; readonly environment: Environment },
): string {
  const query = new URLSearchParams({
    account: accountName,
    ...(environment === DEFAULT_ENVIRONMENT ? {} : { environment }),
  });
  return `${SITE_CONFIG_PATH}/${encodeURIComponent(site)}?${query}`;
}
