import type { Tenant } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { findAccount } from "../../persistence/accounts/account-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { countList, findByIds, findPage } from "../../persistence/shared/select-page.js";
import {
  findRevisions,
  findServedText,
  findSiteConfigsBySites,
  findTexts,
  listRevisions,
  type ServedRow,
  SITE_CONFIGS,
} from "../../persistence/site-configs/queries.js";

const EMPTY_PAGE: Page<SiteConfigRevision> = { items: [], hasMore: false };

/** Which text of a site is asked for. */
export interface ServedRequest {
  readonly site: string;
  /** Null for the current one. */
  readonly revision: number | null;
  /** SHA-256 of texts that whoever asks has already, and need not get again; null for whatever text there is. */
  readonly knownHashes: readonly Buffer[] | null;
}

/** Reads site configurations and their revisions. */
export class SiteConfigReader {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @returns a site configuration or null for each id, in the same order */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(SiteConfig | null)[]> {
    return findByIds(this.#db.for(tenant), SITE_CONFIGS, ids);
  }

  /** @returns a site configuration or null for each site, in the same order */
  async bySites(tenant: Tenant, sites: readonly string[]): Promise<(SiteConfig | null)[]> {
    const configs = await findSiteConfigsBySites(this.#db.for(tenant), sites);
    return inOrder(sites, configs, ({ site }) => site);
  }

  /** A page of the tenant's site configurations, by the names of the sites. */
  async list(tenant: Tenant, page: PageRequest): Promise<Page<SiteConfig>> {
    return findPage(this.#db.for(tenant), SITE_CONFIGS, page);
  }

  async count(tenant: Tenant): Promise<number> {
    return countList(this.#db.for(tenant), SITE_CONFIGS);
  }

  /** The same page of the revisions of each of these, newest first, in the order of the ids; one statement for all. */
  async listRevisions(
    tenant: Tenant,
    ids: readonly number[],
    page: PageRequest,
  ): Promise<Page<SiteConfigRevision>[]> {
    const pages = await listRevisions(this.#db.for(tenant), ids, page);
    return ids.map((id) => pages.get(id) ?? EMPTY_PAGE);
  }

  /** @returns a revision or null for each reference, in the same order */
  async revisions(tenant: Tenant, refs: readonly RevisionRef[]): Promise<(SiteConfigRevision | null)[]> {
    const found = await findRevisions(this.#db.for(tenant), refs);
    return inOrder(refs.map(nameOfRevision), found, nameOfRevision);
  }

  /** @returns a text or null for each reference, in the same order */
  async texts(tenant: Tenant, refs: readonly RevisionRef[]): Promise<(string | null)[]> {
    const texts = await findTexts(this.#db.for(tenant), refs);
    return inOrder(refs.map(nameOfRevision), texts, nameOfRevision).map((found) => found?.text ?? null);
  }

  /** The text of a tenant's site. @throws DomainError `site_config_not_found` */
  async serve(tenant: Tenant, request: ServedRequest): Promise<ServedRow> {
    return requireServed(await findServedText(this.#db.for(tenant), { ...request, publicOnly: false }));
  }

  /**
   * The text of a site that is open to everybody (decision 31).
   * @throws DomainError `site_config_not_found`, also for an account that does not exist and a revision that is not public
   */
  async servePublic(
    { account, environment }: { readonly account: string; readonly environment: Environment },
    request: ServedRequest,
    within: Pick<Tenant, "replica" | "deadline"> = {},
  ): Promise<ServedRow> {
    const found = await findAccount(this.#db.of({ ...within, accountName: account }), account);
    const tenant = found && { ...within, accountId: found.accountId, environment };
    return requireServed(
      tenant && (await findServedText(this.#db.for(tenant), { ...request, publicOnly: true })),
    );
  }
}

/** Tells one revision from all others of a tenant. */
export function nameOfRevision({ siteConfigId, revision }: RevisionRef): string {
  return `${siteConfigId}:${revision}`;
}

function requireServed(served: ServedRow | null): ServedRow {
  if (served) return served;
  throw new DomainError("site_config_not_found", "There is no such site configuration, or no such revision.");
}
