import type { AuditAction } from "../../domain/audit/entry.js";
import { createEnum } from "../shared/create-enum.js";

const DESCRIPTIONS: Readonly<Record<AuditAction, string>> = {
  "user_group.created": "A user group was created.",
  "user_group.updated": "A user group was updated.",
  "user_group.token_rotated": "The token of a user group was rotated.",
  "user_group.embed_session_created": "An embed session of a user group was created.",
  "user_group.deleted": "A user group was deleted.",
  "data_source.created": "A data source was created.",
  "data_source.updated": "A data source was updated.",
  "data_source.deleted": "A data source was deleted.",
  "api_key.created": "An API key was created.",
  "api_key.revoked": "An API key was revoked.",
  "site_config.published": "A new revision of a site configuration was stored.",
  "site_config.opened": "A site configuration was made public.",
  "site_config.closed": "A site configuration was made private.",
  "site_config.deleted": "A site configuration was deleted.",
  "webhook_endpoint.created": "A webhook endpoint was created.",
  "webhook_endpoint.updated": "A webhook endpoint was updated, or its secret was rotated.",
  "webhook_endpoint.disabled":
    "A webhook endpoint was disabled because it responded with 410 or every delivery failed for several days.",
  "webhook_endpoint.deleted": "A webhook endpoint was deleted.",
  "session_template.created": "A session template was created.",
  "session_template.updated": "A session template was updated.",
  "session_template.deleted": "A session template was deleted.",
  "property_schema.updated": "The schema for properties, or its mode, was changed.",
};

/**
 * Creates an enum of a subset of the audit log actions.
 * @param others descriptions of values that are no audit log actions
 */
export function createActionEnum<Other extends string = never>(
  name: string,
  description: string,
  actions: readonly AuditAction[],
  others: readonly (readonly [value: Other, description: string])[] = [],
): Readonly<Record<string, AuditAction | Other>> {
  const described = [...actions.map((action) => [action, DESCRIPTIONS[action]] as const), ...others];
  const members = described.map((value) => [value[0].toUpperCase().replaceAll(".", "_"), value] as const);
  return createEnum<AuditAction | Other>(name, description, Object.fromEntries(members));
}
