import type { Tenant } from "../../domain/accounts/caller.js";
import type { AuditEntry, AuditFilter } from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import { AUDIT_ENTRIES, auditList } from "../../persistence/audit/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { countList, findByIds, findPage } from "../../persistence/shared/select-page.js";

/** Reads the audit log, which database triggers write. */
export class AuditLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns a page of the tenant's log, newest first. */
  async list(tenant: Tenant, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    return findPage(this.#db.for(tenant), AUDIT_ENTRIES, page, auditList(filter));
  }

  async count(tenant: Tenant, filter: AuditFilter): Promise<number> {
    return countList(this.#db.for(tenant), AUDIT_ENTRIES, auditList(filter));
  }

  /** Returns an entry or null per ID, in the order of the IDs. */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(AuditEntry | null)[]> {
    return findByIds(this.#db.for(tenant), AUDIT_ENTRIES, ids);
  }
}
