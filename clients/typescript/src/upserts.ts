import { type ApiError, UnexpectedReplyError, type UserError } from "./errors.js";
import type { MappingInput, UpsertUserGroupsMutation } from "./generated/operations.js";
import { errorOf } from "./graphql-wire.js";
import type { ResponseInfo } from "./response.js";
import { type Properties, typed, type UserGroup } from "./user-group.js";

/** Maps schema IDs to data sources, by external or internal ID. */
export type Mapping = Readonly<Record<string, string>>;

/** A group to create or update: absent fields keep their values, null clears. */
export interface UserGroupUpsert<Typed extends object = object> {
  /** External ID of the group, unique within the call. */
  readonly providedId: string;
  /** Required for creation only. */
  readonly name?: string | undefined;
  /** Replaces the whole mapping. */
  readonly mapping?: Mapping | null | undefined;
  /** Replaces the whole object. */
  readonly properties?: Typed | null | undefined;
}

/** The result for one group. */
export type UpsertResult<Typed extends object = Properties> =
  | { readonly ok: true; readonly userGroup: UserGroup<Typed>; readonly isNew: boolean }
  | { readonly ok: false; readonly error: ApiError };

type Mapped = Pick<UserGroupUpsert, "mapping">;

/** Returns the input of a mutation for the fields of a group. */
export function writeGroup<Group extends Mapped>({ mapping, ...fields }: Group) {
  return { ...fields, mapping: mapping && writeMapping(mapping) };
}

export function writeMapping(mapping: Mapping): MappingInput[] {
  return Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
}

/** @param group as sent @throws UnexpectedReplyError */
export function toResult<Typed extends object>(
  result: UpsertUserGroupsMutation["upsertUserGroups"]["results"][number],
  group: Mapped | undefined,
  response: ResponseInfo,
): UpsertResult<Typed> {
  const { userGroup, isNew } = result;
  const error = errorOf(toSchemaPaths(result.userErrors, group ? [group] : []), response);
  if (error) return { ok: false, error };
  if (userGroup && isNew !== null) return { ok: true, userGroup: typed(userGroup), isNew };
  throw new UnexpectedReplyError("The reply contains neither a result nor an error for a group.", response);
}

/** Converts paths of mapping entries from list positions to schema IDs, as the caller knows them. */
export function toSchemaPaths(userErrors: readonly UserError[], groups: readonly Mapped[]): UserError[] {
  return userErrors.map((error) => ({ ...error, field: error.field && toSchemaPath(error.field, groups) }));
}

/** @param field `mapping.0.…` for one group, or `userGroups.1.mapping.0.…` for the second of several */
function toSchemaPath(field: readonly string[], groups: readonly Mapped[]): readonly string[] {
  const at = field[0] === "mapping" ? 0 : 2;
  if (field[at] !== "mapping") return field;
  const { mapping } = groups[at === 0 ? 0 : Number(field[1])] ?? {};
  const schemaId = Object.keys(mapping ?? {})[Number(field[at + 1])];
  return schemaId === undefined ? field : [...field.slice(0, at + 1), schemaId];
}
