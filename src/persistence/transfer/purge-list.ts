import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { ACCEPTED_AFTER_RETIREMENT_MS } from "../../domain/authentication/signing-key.js";
import type { Retention } from "../../domain/shared/retention.js";
import { NAMED_DELETIONS, pseudonymizeDeletions } from "../audit/erasure-queries.js";
import { REPLY_MAX_AGE_MS } from "../requests/idempotent-request-queries.js";
import type { Purge } from "../shared/purge-queries.js";
import { excessVersions } from "../user-groups/history.js";

const DAY_MS = 86_400_000;
/** Longer than any console session, also by a process whose clock is late. */
const ENDED_SESSION_MAX_AGE_MS = DAY_MS;

/** Lists what the purge job removes, in this order. */
export function purgeList(vault: TokenVault, retention: Retention): readonly Purge[] {
  // 0 keeps forever.
  const age = (days: number) => (days === 0 ? null : days * DAY_MS);
  const delivery = { table: "webhook_delivery" } as const;
  const revision = { table: "site_config_revision", isUnlockable: true } as const;
  const newest = Number(retention.siteConfigRevisions);
  const namesAge = age(retention.deletedGroupNameDays);
  const list: readonly Purge[] = [
    {
      name: "pending_webhook_deliveries",
      ...delivery,
      time: "queued_at",
      maxAgeMs: age(retention.pendingWebhookDays),
      condition: "state = 'pending'",
      assignments: "state = 'dead', last_error = 'The delivery expired before it could be sent.'",
    },
    {
      name: "webhook_deliveries",
      ...delivery,
      time: "created_at",
      maxAgeMs: age(retention.webhookDeliveryDays),
      condition: "state <> 'pending'",
    },
    // Before their endpoints, with which they would be deleted in one statement.
    {
      name: "deleted_webhook_endpoints",
      ...delivery,
      time: "deleted_at",
      maxAgeMs: 0,
      join: ["webhook_endpoint", "webhook_endpoint.id = endpoint_id AND deleted_at IS NOT NULL"],
    },
    {
      name: "deleted_webhook_endpoints",
      table: "webhook_endpoint",
      time: "deleted_at",
      maxAgeMs: 0,
      condition: "deleted_at IS NOT NULL",
    },
    {
      name: "idempotent_replies",
      table: "idempotent_request",
      time: "created_at",
      maxAgeMs: REPLY_MAX_AGE_MS,
    },
    // Before their entries, of which an undo needs all. An account has few.
    {
      name: "bulk_changes",
      table: "bulk_change",
      time: "created_at",
      maxAgeMs: age(retention.auditDays),
    },
    {
      name: "audit_entries",
      table: "audit_entry",
      time: "created_at",
      maxAgeMs: age(retention.auditDays),
    },
    {
      name: "embed_session_counts",
      table: "embed_session_count",
      time: "day",
      maxAgeMs: age(retention.auditDays),
    },
    {
      name: "request_counts",
      table: "request_count",
      time: "day",
      maxAgeMs: age(retention.auditDays),
    },
    {
      name: "usage_days",
      table: "usage_day",
      time: "day",
      maxAgeMs: age(retention.auditDays),
    },
    {
      name: "deleted_group_names",
      ...NAMED_DELETIONS,
      maxAgeMs: namesAge,
      change: (transaction, accountId, limit) =>
        pseudonymizeDeletions(
          transaction,
          (name) => vault.pseudonym(accountId, name),
          Number(namesAge),
          limit,
        ),
    },
    {
      name: "user_group_history",
      table: "user_group_history",
      isUnlockable: true,
      time: "replaced_at",
      maxAgeMs: retention.groupHistoryDays * DAY_MS,
    },
    {
      name: "user_group_versions",
      table: "user_group_history",
      isUnlockable: true,
      time: "replaced_at",
      // Quick writes must not remove the values before them within a day.
      maxAgeMs: retention.groupVersions === 0 ? null : DAY_MS,
      among: excessVersions(Number(retention.groupVersions)),
    },
    // An account has few, as it has of keys of templates, so that no index is needed.
    {
      name: "api_keys",
      table: "api_key",
      time: "least(revoked_at, expires_at)",
      maxAgeMs: age(retention.apiKeyDays),
    },
    {
      name: "site_config_revisions",
      ...revision,
      time: "site_config_revision.created_at",
      maxAgeMs: newest === 0 ? null : 0,
      join: [
        "site_config",
        `site_config.id = site_config_id AND site_config.revision > ${newest}
          AND site_config_revision.revision <= site_config.revision - ${newest}`,
      ],
    },
    // The site's row stays: a revision number is never reused, because replies with revisions are cached.
    {
      name: "deleted_site_configs",
      ...revision,
      time: "deleted_at",
      maxAgeMs: age(retention.deletedSiteConfigDays),
      join: ["site_config", "site_config.id = site_config_id AND deleted_at IS NOT NULL"],
    },
    {
      name: "retired_signing_keys",
      table: "signing_key",
      isShared: true,
      time: "retired_from",
      maxAgeMs: ACCEPTED_AFTER_RETIREMENT_MS,
    },
    {
      name: "retired_template_keys",
      table: "template_signing_key",
      time: "retired_from",
      maxAgeMs: ACCEPTED_AFTER_RETIREMENT_MS,
    },
    {
      name: "ended_console_sessions",
      table: "ended_console_session",
      isShared: true,
      time: "valid_from",
      maxAgeMs: ENDED_SESSION_MAX_AGE_MS,
    },
  ];
  return list.filter(({ maxAgeMs }) => maxAgeMs !== null);
}
