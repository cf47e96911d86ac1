import { createApiError } from "./api-error.js";
import type { UserError } from "./errors.js";
import type { UserGroupFieldsFragment } from "./generated/operations.js";
import { requireValue } from "./graphql-wire.js";
import type { ResponseInfo } from "./response.js";
import { type Mapping, toSchemaPaths } from "./upserts.js";
import { type Properties, typed, type UserGroup } from "./user-group.js";

/** A group to get or create. */
export interface GetOrCreateUserGroup<Typed extends object = object> {
  /** External ID of the group. */
  readonly providedId: string;
  /** Required to create a group. */
  readonly name?: string | undefined;
  readonly mapping?: Mapping | null | undefined;
  /** A JSON object: the variables of dashboards. */
  readonly properties?: Typed | null | undefined;
}

/** Changes of a group: absent fields keep their values, null clears. */
export interface UpdateUserGroup<Typed extends object = object> extends GetOrCreateUserGroup<Typed> {
  /** Instead of `properties`: replaces only these properties, and removes those that are null (JSON Merge Patch, RFC 7396). */
  readonly propertiesPatch?: object | null | undefined;
  /** The version that you last read, such as `version` of `get`. */
  readonly expectedVersion?: number | undefined;
}

export interface RotateUserGroupToken {
  /** The token to invalidate. */
  readonly currentToken: string;
}

/** The group to delete, by its token. Other fields must match the group; otherwise nothing is deleted. */
export interface DeleteUserGroup {
  readonly currentToken: string;
  readonly providedId?: string | undefined;
  readonly dataSourceProvidedId?: string | undefined;
}

/** A group with its token, for embedding dashboards; a page of this group may hold it. */
export type UserGroupWithToken<Typed extends object = Properties> = UserGroup<Typed> & {
  readonly token: string;
};

/** A group that was found or created. */
export type FoundUserGroup<Typed extends object = Properties> = UserGroupWithToken<Typed> & {
  /** Whether this call created it. */
  readonly isNew: boolean;
};

/** The result of a mutation of one group. */
interface Payload {
  readonly userGroup: UserGroupFieldsFragment | null;
  readonly userErrors: readonly UserError[];
}

/** Names of this package for fields of the input. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["by.providedId", "providedId"],
  ["by.token", "currentToken"],
  ["expiresInSeconds", "expiresIn"],
]);

/** Returns the errors with the caller's names of their fields. */
export function toCallerFields(userErrors: readonly UserError[]): UserError[] {
  return userErrors.map((error) => {
    const name = FIELDS.get(error.field?.join(".") ?? "");
    return name ? { ...error, field: [name] } : error;
  });
}

/**
 * Returns a mutation's group, whose token the caller needs.
 * @param input as the caller gave it @throws ApiError; PermissionError if the API key may not read tokens
 */
export function requireToken<Typed extends object>(
  { userGroup, userErrors }: Payload,
  response: ResponseInfo,
  input: { readonly mapping?: Mapping | null | undefined } = {},
): UserGroupWithToken<Typed> {
  const errors = toCallerFields(toSchemaPaths(userErrors, [input]));
  const { token, ...group } = requireValue({ userGroup, userErrors: errors }, "userGroup", response);
  if (token !== null) return { ...typed<Typed>({ ...group, token }), token };
  const message =
    "The API key may not read tokens, which this call returns. Use a key with the scope `embed` or `write`.";
  throw createApiError({ ...response, code: "forbidden", message });
}
