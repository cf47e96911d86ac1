import type { AuditEntry } from "../../domain/audit/entry.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const auditEntriesById = defineBatchLoader<number, AuditEntry | null>(({ services, tenant }, keys) =>
  services.auditLog.byIds(tenant, keys),
);
