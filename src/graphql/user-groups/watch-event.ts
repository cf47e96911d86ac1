import { Field, ID, ObjectType } from "type-graphql";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { UserGroupEvent } from "../../services/user-groups/subscription.js";
import { createEnum } from "../shared/create-enum.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupChangeKind>(
  "UserGroupChangeKind",
  "The type of a change to a user group.",
  {
    CREATED: ["created", "The user group was created."],
    UPDATED: ["updated", "The name, properties or mapping was updated."],
    TOKEN_ROTATED: ["tokenRotated", "The token was rotated."],
    DELETED: ["deleted", "The user group was deleted. A subscription to this user group ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change to a user group." })
export class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, { description: "The type of the change." })
  readonly kind: UserGroupChangeKind;

  @Field(() => ID, { description: "The global ID of the user group, even if it was deleted." })
  readonly userGroupId: string;

  @Field(() => UserGroupView, nullable("The current state of the user group; null if it was deleted."))
  readonly userGroup: UserGroupView | null;

  constructor({ id, kind, userGroup, mapping }: UserGroupEvent) {
    this.kind = kind;
    this.userGroupId = toNodeId("UserGroup", id);
    this.userGroup = userGroup && new UserGroupView(userGroup, mapping);
  }
}

/** A change for one subscriber. */
export class WatchEvent {
  readonly change: UserGroupChangeView;
  /** Identifies a change that may be delivered to several subscribers. */
  readonly shared: object;
  /** Returns whether the event may still be delivered. */
  readonly isCurrent: () => boolean;

  constructor(event: UserGroupEvent, isCurrent: () => boolean) {
    this.change = new UserGroupChangeView(event);
    this.shared = event;
    this.isCurrent = isCurrent;
  }
}
