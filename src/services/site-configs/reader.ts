import type { Tenant } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import type { SiteConfigFilter, SiteConfigSortField } from "../../domain/site-configs/list.js";
import type { RevisionRef, SiteConfig, SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { findAccount } from "../../persistence/accounts/account-queries.js";
import type { Database } from "../../persistence/database/database.js";
import {
  findRevisions,
  findServedText,
  findSiteConfigsBySites,
  findTexts,
  listRevisions,
  type ServedRequest,
  type ServedRow,
  SITE_CONFIG_LIST,
} from "../../persistence/site-configs/queries.js";
import { StoredList } from "../shared/item-list.js";

/** Reads site configurations and their revisions. */
export class SiteConfigReader {
  readonly list: StoredList<SiteConfig, SiteConfigFilter, SiteConfigSortField>;

  constructor(private readonly db: Database) {
    this.list = new StoredList(db, SITE_CONFIG_LIST);
  }

  /** Returns a site configuration or null per site, in the order of the sites. */
  async bySites(tenant: Tenant, sites: readonly string[]): Promise<(SiteConfig | null)[]> {
    const configs = await findSiteConfigsBySites(this.db.for(tenant), sites);
    return inOrder(sites, configs, ({ site }) => site);
  }

  /** Returns the same page of revisions per site configuration, newest first, in the order of the IDs, with one statement. */
  async listRevisions(
    tenant: Tenant,
    ids: readonly number[],
    page: PageRequest,
  ): Promise<Page<SiteConfigRevision>[]> {
    return listRevisions(this.db.for(tenant), ids, page);
  }

  /** Returns a revision or null per reference, in the order of the references. */
  async revisions(tenant: Tenant, refs: readonly RevisionRef[]): Promise<(SiteConfigRevision | null)[]> {
    const found = await findRevisions(this.db.for(tenant), refs);
    return inOrder(refs.map(revisionKey), found, revisionKey);
  }

  /** Returns a text or null per reference, in the order of the references. */
  async texts(tenant: Tenant, refs: readonly RevisionRef[]): Promise<(string | null)[]> {
    const texts = await findTexts(this.db.for(tenant), refs);
    return inOrder(refs.map(revisionKey), texts, revisionKey).map((found) => found?.text ?? null);
  }

  /** Returns the text of a tenant's site. @throws DomainError `site_config_not_found` */
  async serve(tenant: Tenant, request: ServedRequest): Promise<ServedRow> {
    return requireServed(await findServedText(this.db.for(tenant), request, { publicOnly: false }));
  }

  /**
   * Returns the text of a public site (decision 31).
   * @throws DomainError `site_config_not_found`, also for an account that does not exist and a revision that is not public
   */
  async servePublic(
    { account, environment }: { readonly account: string; readonly environment: Environment },
    request: ServedRequest,
    deadline?: Deadline,
  ): Promise<ServedRow> {
    const found = await findAccount(this.db.of({ accountName: account, deadline }), account);
    const tenant = found && { accountId: found.accountId, environment, deadline };
    return requireServed(
      tenant && (await findServedText(this.db.for(tenant), request, { publicOnly: true })),
    );
  }
}

/** Returns a key that is unique among the tenant's revisions. */
export function revisionKey({ siteConfigId, revision }: RevisionRef): string {
  return `${siteConfigId}:${revision}`;
}

function requireServed(served: ServedRow | null): ServedRow {
  if (served) return served;
  throw new DomainError("site_config_not_found", "The site has no configuration, or no such revision.");
}
