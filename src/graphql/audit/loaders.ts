import { DEFAULT_AUDIT_DAYS } from "../../domain/audit/entry.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const loadAuditEntry = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.auditLog.list.byIds(tenant, keys),
);

/** The changes of each of the last days, by the internal ID of an API key. */
export const loadAuditDays = defineBatchLoader(({ services, tenant }, keyIds: readonly number[]) =>
  services.auditLog.countDaysOfKeys(tenant, DEFAULT_AUDIT_DAYS, keyIds),
);
