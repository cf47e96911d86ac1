import { createApiError } from "./api-error.js";
import { type ApiError, UnexpectedReplyError } from "./errors.js";
import type {
  MappingInput,
  UpsertUserGroupInput,
  UpsertUserGroupsMutation,
  UserGroupFieldsFragment,
} from "./generated/operations.js";
import { detailsOf } from "./graphql-wire.js";
import type { Mapping } from "./rest-wire.js";

/** A group to create or to change: what is absent stays as it is, null clears. */
export interface UserGroupUpsert {
  /** Your own id of the group; each only once in a call. */
  readonly providedId: string;
  /** Required only when the group is created. */
  readonly name?: string | undefined;
  /** Replaces the whole mapping. */
  readonly mapping?: Mapping | null | undefined;
  /** Replaces the whole object. */
  readonly properties?: object | null | undefined;
}

/** What became of one group. */
export type UpsertResult =
  | { readonly ok: true; readonly userGroup: UserGroupFieldsFragment; readonly newUserGroup: boolean }
  | { readonly ok: false; readonly error: ApiError };

export function writeUpsert({ mapping, ...group }: UserGroupUpsert): UpsertUserGroupInput {
  return { ...group, mapping: mapping && writeMapping(mapping) };
}

export function writeMapping(mapping: Mapping): MappingInput[] {
  return Object.entries(mapping).map(([schemaId, dataSource]) => ({ schemaId, dataSource }));
}

export function toResult({
  userGroup,
  newUserGroup,
  userErrors,
}: UpsertUserGroupsMutation["upsertUserGroups"]["results"][number]): UpsertResult {
  const [first] = userErrors;
  if (first) return { ok: false, error: createApiError(detailsOf(first, userErrors)) };
  if (userGroup && newUserGroup !== null) return { ok: true, userGroup, newUserGroup };
  throw new UnexpectedReplyError("The reply has a group with neither a result nor an error.", {
    status: 200,
  });
}
