import { DEFAULT_RETENTION } from "../domain/shared/retention.js";
import { flag, wholeNumber } from "./setting-types.js";

const MAX_DAYS = 36_500;
/** The database does not let the application role delete younger entries (policy `audit_entry_purge`). */
const MIN_AUDIT_DAYS = 30;
const AUDIT_RULE = `must be 0 or a whole number from ${MIN_AUDIT_DAYS} to ${MAX_DAYS}`;

/** How long data is kept. */
export const RETENTION_SETTINGS = {
  PURGE: flag(true).describe(
    "remove expired data in this process, once an hour ([guide](data-protection.md#retention))",
  ),
  RETAIN_AUDIT_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.auditDays)
    .refine((days) => days === 0 || days >= MIN_AUDIT_DAYS, AUDIT_RULE)
    .describe(
      `days for which audit log entries are kept, at least ${MIN_AUDIT_DAYS}; \`0\` keeps them forever`,
    ),
  RETAIN_DELETED_GROUP_NAME_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.deletedGroupNameDays).describe(
    "days after the deletion of a user group until a pseudonym replaces its external ID in the audit log; `0` never replaces it",
  ),
  RETAIN_WEBHOOK_DELIVERY_DAYS: wholeNumber(1, 400, DEFAULT_RETENTION.webhookDeliveryDays).describe(
    "days for which webhook deliveries are kept; pending ones first expire after `WEBHOOK_PENDING_MAX_DAYS`",
  ),
  RETAIN_API_KEY_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.apiKeyDays).describe(
    "days for which API keys are listed after they were revoked or expired; `0` keeps them forever",
  ),
  RETAIN_SITE_CONFIG_REVISIONS: wholeNumber(0, 1_000_000, DEFAULT_RETENTION.siteConfigRevisions).describe(
    "number of newest revisions kept of each site configuration; `0` keeps all",
  ),
  RETAIN_DELETED_SITE_CONFIG_DAYS: wholeNumber(0, MAX_DAYS, DEFAULT_RETENTION.deletedSiteConfigDays).describe(
    "days after the deletion of a site configuration until its revisions are deleted; `0` keeps them forever",
  ),
} as const;
