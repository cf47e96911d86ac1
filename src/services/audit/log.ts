import type { Tenant } from "../../domain/accounts/caller.js";
import type { AuditDay, AuditEntry, AuditFilter } from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import { AUDIT_ENTRIES, auditList, countAuditDays } from "../../persistence/audit/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { countList, findByIds, findPage } from "../../persistence/shared/select-page.js";

const DAY_MS = 86_400_000;

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

  /** Counts the entries of each of the last days in UTC, oldest first; the last one is today. */
  async countDays(tenant: Tenant, days: number): Promise<AuditDay[]> {
    const midnight = new Date().setUTCHours(0, 0, 0, 0);
    const dates = Array.from(
      { length: days },
      (_, index) => new Date(midnight - (days - 1 - index) * DAY_MS),
    );
    const counted = await countAuditDays(this.#db.for(tenant), dates[0] ?? new Date(midnight));
    const changes = new Map(counted.map((day) => [day.date, day.changes]));
    return dates.map((day) => {
      const date = day.toISOString().slice(0, 10);
      return { date, changes: changes.get(date) ?? 0 };
    });
  }

  /** Returns an entry or null per ID, in the order of the IDs. */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<(AuditEntry | null)[]> {
    return findByIds(this.#db.for(tenant), AUDIT_ENTRIES, ids);
  }
}
