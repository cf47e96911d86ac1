import type { TokenVault } from "../domain/accounts/token-vault.js";
import { ACCEPTED_AFTER_RETIREMENT_MS } from "../domain/authentication/signing-key.js";
import type { Retention } from "../domain/shared/retention.js";
import { INVALID_KEYS } from "../persistence/accounts/api-key-queries.js";
import { OLD_ENTRIES } from "../persistence/audit/queries.js";
import { RETIRED_SIGNING_KEYS } from "../persistence/authentication/signing-key-queries.js";
import { REPLY_MAX_AGE_MS, STORED_REPLIES } from "../persistence/requests/idempotent-request-queries.js";
import { expiredRows } from "../persistence/shared/purge-queries.js";
import { revisionsOfDeletedSites, supersededRevisions } from "../persistence/site-configs/purge-queries.js";
import { DELETED_ENDPOINTS } from "../persistence/webhooks/deleted-endpoint-queries.js";
import { COMPLETED_DELIVERIES, PENDING_DELIVERIES } from "../persistence/webhooks/delivery-queries.js";
import { deletedGroupNames } from "./audit/deleted-group-names.js";
import type { PurgeList } from "./shared/purge-scopes.js";

const DAY_MS = 86_400_000;

/** Lists what the purge job removes; without what the retention keeps forever. */
export function createPurgeList(vault: TokenVault, retention: Retention): PurgeList {
  const { auditDays, deletedGroupNameDays, apiKeyDays, siteConfigRevisions, deletedSiteConfigDays } =
    retention;
  return {
    tenant: [
      {
        name: "pending_webhook_deliveries",
        ...expiredRows(PENDING_DELIVERIES, retention.pendingWebhookDays * DAY_MS),
      },
      {
        name: "webhook_deliveries",
        ...expiredRows(COMPLETED_DELIVERIES, retention.webhookDeliveryDays * DAY_MS),
      },
      { name: "deleted_webhook_endpoints", ...DELETED_ENDPOINTS },
      { name: "idempotent_replies", ...expiredRows(STORED_REPLIES, REPLY_MAX_AGE_MS) },
      ...(auditDays ? [{ name: "audit_entries", ...expiredRows(OLD_ENTRIES, auditDays * DAY_MS) }] : []),
      ...(deletedGroupNameDays
        ? [{ name: "deleted_group_names", ...deletedGroupNames(vault, deletedGroupNameDays * DAY_MS) }]
        : []),
      ...(apiKeyDays ? [{ name: "api_keys", ...expiredRows(INVALID_KEYS, apiKeyDays * DAY_MS) }] : []),
      ...(siteConfigRevisions
        ? [{ name: "site_config_revisions", ...supersededRevisions(siteConfigRevisions) }]
        : []),
      ...(deletedSiteConfigDays
        ? [{ name: "deleted_site_configs", ...revisionsOfDeletedSites(deletedSiteConfigDays * DAY_MS) }]
        : []),
    ],
    shared: [
      {
        name: "retired_signing_keys",
        ...expiredRows(RETIRED_SIGNING_KEYS, ACCEPTED_AFTER_RETIREMENT_MS),
      },
    ],
  };
}
