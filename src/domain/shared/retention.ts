/** How long data is kept. Durations are in days; 0 keeps it forever, except for the history of user groups. */
export interface Retention {
  readonly auditDays: number;
  /** Days after the deletion of a user group until the audit log names it by a pseudonym. */
  readonly deletedGroupNameDays: number;
  /** Days after former values of a user group were replaced; 0 keeps none. */
  readonly groupHistoryDays: number;
  /** Number of newest former values kept of each user group; 0 keeps all, and those of the last day are always kept. */
  readonly groupVersions: number;
  /** Days after a webhook delivery was created; never 0. */
  readonly webhookDeliveryDays: number;
  /** Days after which a pending webhook delivery is dead; never 0. */
  readonly pendingWebhookDays: number;
  /** Days after an API key was revoked or expired. */
  readonly apiKeyDays: number;
  /** Number of newest revisions kept of each site configuration; 0 keeps all. */
  readonly siteConfigRevisions: number;
  /** Days after the deletion of a site configuration until its revisions are deleted. */
  readonly deletedSiteConfigDays: number;
}

export const DEFAULT_RETENTION: Retention = {
  auditDays: 400,
  deletedGroupNameDays: 30,
  groupHistoryDays: 90,
  groupVersions: 1_000,
  webhookDeliveryDays: 30,
  pendingWebhookDays: 7,
  apiKeyDays: 400,
  siteConfigRevisions: 0,
  deletedSiteConfigDays: 90,
};
