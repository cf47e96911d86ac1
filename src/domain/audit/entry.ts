import type { Actor } from "../accounts/actor.js";

/** Everything that the audit log tells of. */
export const AUDIT_ACTIONS = [
  "user_group.created",
  "user_group.updated",
  "user_group.token_rotated",
  "user_group.deleted",
  "data_source.created",
  "data_source.updated",
  "data_source.deleted",
  "api_key.created",
  "api_key.revoked",
  "site_config.published",
  "site_config.opened",
  "site_config.closed",
  "webhook_endpoint.created",
  "webhook_endpoint.updated",
  "webhook_endpoint.disabled",
  "webhook_endpoint.deleted",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** That something was changed: by whom, when, in which request. It holds no secret and no values. */
export interface AuditEntry {
  readonly id: number;
  readonly action: AuditAction;
  readonly subjectId: number;
  /** What the subject was called then: a provided id, the name of a key or of a site. */
  readonly subjectName: string;
  /** The version of a user group, or the revision of a site configuration, that the change made. */
  readonly version: number | null;
  /** The fields that an update changed. */
  readonly changed: readonly string[];
  readonly actor: Actor;
  readonly createdAt: Date;
}

/** Which entries a list shows: those that meet every condition. */
export interface AuditFilter {
  readonly actions?: readonly AuditAction[];
  readonly subjectName?: string;
  readonly createdAt?: { readonly from?: Date; readonly to?: Date };
}
