import { Field, ID, Int, ObjectType } from "type-graphql";
import type { UserGroupEvent } from "../../services/user-groups/subscription.js";
import { createEnum } from "../shared/create-enum.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupEvent["kind"]>(
  "UserGroupChangeKind",
  "The type of a change to a user group.",
  {
    CURRENT: ["current", "The state when a subscription to this user group starts."],
    CREATED: ["created", "The user group was created."],
    UPDATED: ["updated", "The name, properties or mapping was updated, or a data source of the mapping."],
    TOKEN_ROTATED: ["tokenRotated", "The token was rotated."],
    DELETED: ["deleted", "The user group was deleted. A subscription to this user group ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change to a user group, with its latest state." })
export class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, {
    description: "The type of the change; of the latest one if several were merged into this event.",
  })
  readonly kind: UserGroupEvent["kind"];

  @Field(() => ID, { description: "The global ID of the user group, even if it was deleted." })
  readonly userGroupId: string;

  @Field(
    () => Int,
    nullable(
      "The version of the current state, which a change of a data source leaves as it is; null if the user group was deleted.",
    ),
  )
  readonly version: number | null;

  @Field(() => UserGroupView, nullable("The current state of the user group; null if it was deleted."))
  readonly userGroup: UserGroupView | null;

  constructor({ id, kind, userGroup, mapping }: UserGroupEvent) {
    this.kind = kind;
    this.version = userGroup?.version ?? null;
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
