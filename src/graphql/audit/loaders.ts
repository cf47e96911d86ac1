import { type AuditDay, type AuditEntry, DEFAULT_AUDIT_DAYS } from "../../domain/audit/entry.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const auditEntriesById = defineBatchLoader<number, AuditEntry | null>(({ services, tenant }, keys) =>
  services.auditLog.list.byIds(tenant, keys),
);

/** The changes of each of the last days, by the internal ID of an API key. */
export const auditDaysByKey = defineBatchLoader<number, AuditDay[]>(({ services, tenant }, keyIds) =>
  services.auditLog.countDaysOfKeys(tenant, DEFAULT_AUDIT_DAYS, keyIds),
);
