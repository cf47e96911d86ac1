import type { Tenant } from "../../domain/accounts/caller.js";
import type { AuditEntry, AuditFilter } from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import {
  countAuditEntries,
  findAuditEntriesByIds,
  listAuditEntries,
} from "../../persistence/audit/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { inOrder } from "../shared/in-order.js";

/** Reads what the database has noted of every change. */
export class AuditLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A page of the tenant's log, newest first. */
  async list(tenant: Tenant, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    return listAuditEntries(this.#db.for(tenant), filter, page);
  }

  async count(tenant: Tenant, filter: AuditFilter): Promise<number> {
    return countAuditEntries(this.#db.for(tenant), filter);
  }

  /** @returns an entry or null for each id, in the same order */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(AuditEntry | null)[]> {
    const entries = await findAuditEntriesByIds(this.#db.for(tenant), ids);
    return inOrder(ids, entries, ({ id }) => id);
  }
}
