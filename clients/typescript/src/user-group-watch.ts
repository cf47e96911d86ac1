import type { Connection } from "./connection.js";
import { NotFoundError } from "./errors.js";
import {
  type UserGroupBy,
  UserGroupChangedDocument,
  type UserGroupChangeKind,
} from "./generated/operations.js";
import type { CallOptions } from "./options.js";
import { streamSubscription } from "./subscription.js";
import { type Properties, typed, type UserGroup } from "./user-group.js";

/** A group's state after each connect (CURRENT), or a change of it. */
export type UserGroupEvent<Typed extends object = Properties> =
  | {
      readonly kind: Exclude<UserGroupChangeKind, "DELETED">;
      readonly userGroup: UserGroup<Typed>;
    }
  | { readonly kind: "DELETED"; readonly userGroup: null };

const DELETED = { kind: "DELETED", userGroup: null } as const;

/** Watches a group until it is deleted. @throws as `streamSubscription` does */
export async function* watchUserGroup<Typed extends object>(
  connection: Connection,
  by: UserGroupBy,
  options: CallOptions,
): AsyncGenerator<UserGroupEvent<Typed>, void, undefined> {
  let wasFound = false;
  try {
    for await (const event of streamSubscription(connection, UserGroupChangedDocument, { by }, options)) {
      const change = event.kind === "data" && event.data.userGroupChanged;
      if (!change) continue;
      const { kind, userGroup } = change;
      if (kind === "DELETED" || userGroup === null) {
        yield DELETED;
        return;
      }
      wasFound = true;
      yield { kind, userGroup: typed(userGroup) };
    }
  } catch (error) {
    // Deleted while disconnected.
    if (!wasFound || !(error instanceof NotFoundError)) throw error;
    yield DELETED;
  }
}
