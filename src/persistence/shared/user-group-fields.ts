import type { UserGroupFields } from "../../domain/user-groups/user-group.js";

/** A field of groups that clients set, and its column in `user_group` and `user_group_history`. Its value is passed as text. */
interface UserGroupField {
  readonly property: keyof UserGroupFields;
  readonly column: string;
  readonly type: "text" | "json";
}

const BY_PROPERTY: { readonly [Name in keyof UserGroupFields]: UserGroupField & { property: Name } } = {
  name: { property: "name", column: "name", type: "text" },
  properties: { property: "properties", column: "properties", type: "json" },
};

/** The fields in the order in which the audit log names them. */
export const USER_GROUP_FIELDS: readonly UserGroupField[] = Object.values(BY_PROPERTY);

/** Returns an SQL list with an expression of each field. */
export function eachField(sql: (field: UserGroupField, index: number) => string, separator = ", "): string {
  return USER_GROUP_FIELDS.map(sql).join(separator);
}
