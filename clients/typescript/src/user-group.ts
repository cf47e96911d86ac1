import type { UserGroupFieldsFragment } from "./generated/operations.js";
import type { Page } from "./pages.js";

/** Properties without a type of your own. */
export type Properties = UserGroupFieldsFragment["properties"] & object;

/**
 * A user group; `token` is null if the API key may not read tokens.
 * @typeParam Typed your type of `properties`, such as `user-groups properties types` writes: it is not checked when a group is read
 */
export type UserGroup<Typed extends object = Properties> = Omit<UserGroupFieldsFragment, "properties"> & {
  readonly properties: Typed | null;
};

/** The type of properties that are written: any object, unless the caller has a type of its own. */
export type Written<Typed extends object> = [Typed, Properties] extends [Properties, Typed] ? object : Typed;

/** Gives what was read the caller's type of properties. */
export function typed<Typed extends object>(group: UserGroupFieldsFragment): UserGroup<Typed>;
export function typed<Typed extends object>(group: UserGroupFieldsFragment | null): UserGroup<Typed> | null;
export function typed<Typed extends object>(page: Page<UserGroupFieldsFragment>): Page<UserGroup<Typed>>;
export function typed(read: object | null): object | null {
  return read;
}
