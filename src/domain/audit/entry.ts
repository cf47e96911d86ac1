import type { Actor } from "../accounts/caller.js";
import type { ListOrder, Sortable } from "../shared/pagination.js";

/** The types of the objects that actions change, by the first part of the action. */
const SUBJECT_TYPES = {
  user_group: "UserGroup",
  data_source: "DataSource",
  api_key: "ApiKey",
  site_config: "SiteConfig",
  webhook_endpoint: "WebhookEndpoint",
  session_template: "SessionTemplate",
  property_schema: "PropertySchema",
} as const;

type Subject = keyof typeof SUBJECT_TYPES;

export const AUDIT_ACTIONS = [
  "user_group.created",
  "user_group.updated",
  "user_group.token_rotated",
  "user_group.embed_session_created",
  "user_group.deleted",
  "data_source.created",
  "data_source.updated",
  "data_source.deleted",
  "api_key.created",
  "api_key.revoked",
  "site_config.published",
  "site_config.opened",
  "site_config.closed",
  "site_config.deleted",
  "webhook_endpoint.created",
  "webhook_endpoint.updated",
  "webhook_endpoint.disabled",
  "webhook_endpoint.deleted",
  "session_template.created",
  "session_template.updated",
  "session_template.deleted",
  "property_schema.updated",
] as const satisfies readonly `${Subject}.${string}`[];

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The fields that these actions change; the others name none. */
export const CHANGED_FIELDS = {
  "user_group.updated": ["name", "properties", "mapping"],
  "data_source.updated": ["providedId", "name"],
  "webhook_endpoint.updated": ["name", "url", "events", "enabled", "secret"],
  "webhook_endpoint.disabled": ["enabled"],
  "session_template.updated": [
    "name",
    "description",
    "algorithm",
    "secret",
    "header",
    "claims",
    "lifetimeSeconds",
    "url",
  ],
  "property_schema.updated": ["schema", "mode"],
} as const satisfies Partial<Record<AuditAction, readonly string[]>>;

/** Actions on objects that have a version or revision. */
type VersionedAction = Exclude<
  Extract<AuditAction, `${"user_group" | "site_config" | "session_template" | "property_schema"}.${string}`>,
  "user_group.embed_session_created"
>;

/** What is recorded in more detail than a field. */
type ChangedPart<Action> = Action extends "session_template.updated" ? `claims.${string}` : never;

type EventOf<Action extends AuditAction> = {
  readonly action: Action;
  readonly subjectId: number;
  /** The external ID of a group or data source, or the name of a key, endpoint or site. */
  readonly subjectName: string;
} & (Action extends VersionedAction ? { readonly version: number } : { readonly version?: never }) &
  (Action extends keyof typeof CHANGED_FIELDS
    ? { readonly changed: readonly ((typeof CHANGED_FIELDS)[Action][number] | ChangedPart<Action>)[] }
    : { readonly changed?: never });

/** A change to record: an audit entry without author and time. */
export type AuditEvent = { [Action in AuditAction]: EventOf<Action> }[AuditAction];

/** Returns the fields that differ between two states of an object. */
export function differingFields<Field extends string>(
  fields: readonly Field[],
  former: Readonly<Record<Field, unknown>>,
  current: Readonly<Record<Field, unknown>>,
): readonly Field[] {
  return fields.filter((field) => former[field] !== current[field]);
}

/** Returns the type of the objects that an action changes. */
export function subjectType(action: AuditAction): (typeof SUBJECT_TYPES)[Subject] {
  const subject = Object.keys(SUBJECT_TYPES).find((name): name is Subject => action.startsWith(`${name}.`));
  if (subject === undefined) throw new Error(`The action ${action} has no subject.`);
  return SUBJECT_TYPES[subject];
}

/** One recorded change: author, time and request. Contains neither secrets nor values. */
export interface AuditEntry {
  readonly id: number;
  readonly action: AuditAction;
  readonly subjectId: number;
  /** The subject's name at that time: the external ID of a group or data source, or the name of a key or site. */
  readonly subjectName: string;
  /** The resulting version of a user group or revision of a site configuration. */
  readonly version: number | null;
  /** Names of the updated fields. */
  readonly changed: readonly string[];
  /** The ID of a created session of a template, which begins with the template's name; null for anything else. */
  readonly sessionId: string | null;
  /** The ID of the bulk change that it belongs to; null for none. */
  readonly bulkChangeId: string | null;
  readonly actor: Actor;
  readonly createdAt: Date;
}

/** Limits on the days that `DayCount`s are read for: each entry of these days is counted. */
export const DEFAULT_AUDIT_DAYS = 30;
export const MAX_AUDIT_DAYS = 90;

/** The number of changes or embed sessions of a day. */
export interface DayCount {
  /** The day in UTC, such as `2026-11-22`. */
  readonly date: string;
  readonly count: number;
  /** The API key or user group; absent for the environment. */
  readonly id?: number;
}

/** Usage of one day in UTC. */
export interface UsageDay {
  /** Such as `2026-11-22`. */
  readonly date: string;
  /** At the end of the day; null if the audit log does not reach back to it. */
  readonly userGroups: number | null;
  readonly embedSessions: number;
  readonly calls: number;
  readonly errors: number;
}

// Not by ID: a time range would then be searched among all later entries.
export const AUDIT_ENTRY_ORDER = {
  fields: { "auditEntry.createdAt": { property: "createdAt", kind: "time" } },
  default: { field: "auditEntry.createdAt", direction: "descending" },
} as const satisfies ListOrder<Sortable<AuditEntry>>;

export type AuditSortField = keyof typeof AUDIT_ENTRY_ORDER.fields;

/** Conditions on listed entries; all must hold. */
export interface AuditFilter {
  readonly actions?: readonly AuditAction[];
  readonly excludeActions?: readonly AuditAction[];
  /** Objects of different types can have the same ID; the actions are those of the type. */
  readonly subject?: { readonly id: number; readonly actions: readonly AuditAction[] };
  readonly subjectName?: string;
  readonly actorName?: string;
  readonly requestId?: string;
  readonly bulkChangeId?: string;
  readonly createdAt?: { readonly from?: Date; readonly to?: Date };
}
