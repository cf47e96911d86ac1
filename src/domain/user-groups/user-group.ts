import type { Environment } from "../accounts/environment.js";
import type { StoredTokenText } from "../accounts/token-vault.js";
import { parsePresent } from "../shared/field-parsing.js";
import { parseText } from "../shared/text-field.js";
import type { MappingReference, StoredMapping } from "./mapping.js";
import { type Properties, parseProperties } from "./properties.js";

/** The fields of a group's row that clients set. */
export interface UserGroupFields {
  readonly name: string;
  readonly properties: Properties;
}

/** The fields of a new group that clients leave out. */
export const DEFAULT_FIELDS: UserGroupFields = { name: "", properties: null };

/** Parses the fields of a group that are present. @throws DomainError `invalid_field` with every invalid field */
export function parseUserGroupFields(
  values: Readonly<Record<keyof UserGroupFields, unknown>>,
): Partial<UserGroupFields> {
  return parsePresent<UserGroupFields>({ name: parseText, properties: parseProperties }, values);
}

/** A customer of the caller. The token stays encrypted until a reply contains it. */
export interface UserGroup extends UserGroupFields {
  readonly accountId: number;
  readonly environment: Environment;
  /** `team_id` in the REST API. */
  readonly id: number;
  readonly providedId: string;
  readonly storedToken: StoredTokenText;
  /** Incremented by each change. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Former values of a group. */
export interface UserGroupVersion extends UserGroupFields {
  /** The last version that had these values. */
  readonly version: number;
  /** Ordered by schema ID. Null if it is unknown, because the mapping changed without a record of the former one. */
  readonly mapping: StoredMapping | null;
  /** The time and the author of the change that replaced the values. */
  readonly replacedAt: Date;
  readonly replacedBy: string;
  /** The ID of the bulk change that replaced the values; null for another change. */
  readonly bulkChangeId: string | null;
}

/** Identifies one group in the caller's environment. */
export type UserGroupRef =
  | { readonly by: "id"; readonly id: number }
  | { readonly by: "providedId"; readonly providedId: string }
  | { readonly by: "token"; readonly token: string };

/**
 * Versions of which a group must have one to be changed, with the ID of the group that had it, if that is known: a group that was deleted
 * and created again has another one. "absent": there must be no group.
 */
export type ExpectedVersions = readonly { readonly id?: number; readonly version: number }[] | "absent";

/** Values that a group must have to be deleted (decision 9). */
export interface ExpectedValues {
  readonly versions?: ExpectedVersions | undefined;
  readonly providedId?: string | undefined;
  readonly dataSourceProvidedId?: string | undefined;
}

/** Fields of a new group, besides its external ID. */
export interface NewUserGroup extends UserGroupFields {
  readonly mapping: readonly MappingReference[];
}

/** Fields of an update; absent fields stay unchanged (decision 7). */
export interface UserGroupChanges extends Partial<UserGroupFields> {
  readonly mapping?: readonly MappingReference[];
  /** A JSON Merge Patch of the properties, with their limits; null removes them. Excludes `properties`. */
  readonly propertiesPatch?: Properties | undefined;
  readonly expectedVersions?: ExpectedVersions | undefined;
}

/** A group to create, which requires a name, or to update. Absent fields are unchanged, null clears a field (decision 7). */
export interface UserGroupUpsert extends Partial<UserGroupFields> {
  readonly providedId: string;
  readonly mapping?: readonly MappingReference[];
  /** A token that the group already has elsewhere; only imports set it. Without one, a new group gets a new token. */
  readonly token?: string;
}
