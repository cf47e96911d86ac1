import { type AuditFilter, DEFAULT_AUDIT_DAYS } from "../../domain/audit/entry.js";
import type { PageRequest } from "../../domain/shared/pagination.js";
import { defineBatchLoader, defineLoader, RequestLoaders } from "../shared/loaders.js";

export const loadAuditEntry = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.auditLog.list.byIds(tenant, keys),
);

/** The changes of each of the last days, by the internal ID of an API key. */
export const loadAuditDays = defineBatchLoader(({ services, tenant }, keyIds: readonly number[]) =>
  services.auditLog.countDaysOfKeys(tenant, DEFAULT_AUDIT_DAYS, keyIds),
);

/** The embed sessions of each of the last days, by the internal ID of a user group. */
export const sessionDaysOfGroups = defineLoader(
  ({ services, tenant }) =>
    new RequestLoaders((ids, days: number) => services.auditLog.countSessionDays(tenant, days, ids)),
);

/** Pages of the audit log by the internal ID of a user group. */
export const auditLogsOfGroups = defineLoader(
  ({ services, tenant }) =>
    new RequestLoaders((ids, request: { readonly filter: AuditFilter; readonly page: PageRequest }) =>
      services.auditLog.pagesOfGroups(tenant, ids, request),
    ),
);

export const auditCountsOfGroups = defineLoader(
  ({ services, tenant }) =>
    new RequestLoaders((ids, filter: AuditFilter) => services.auditLog.countsOfGroups(tenant, ids, filter)),
);
