import { Field, ObjectType } from "type-graphql";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { UserGroupEvent } from "../../services/user-groups/group-watch.js";
import { createEnum } from "../shared/create-enum.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupChangeKind>(
  "UserGroupChangeKind",
  "The type of a change to a user group.",
  {
    UPDATED: ["updated", "The name, properties or mapping was updated."],
    TOKEN_ROTATED: ["tokenRotated", "The token was rotated."],
    DELETED: ["deleted", "The user group was deleted. The subscription ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change to a user group." })
export class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, { description: "The type of the change." })
  readonly kind: UserGroupChangeKind;

  @Field(() => UserGroupView, nullable("The current state of the user group; null if it was deleted."))
  readonly userGroup: UserGroupView | null;

  constructor({ kind, userGroup, mapping }: UserGroupEvent) {
    this.kind = kind;
    this.userGroup = userGroup && new UserGroupView(userGroup, mapping);
  }
}
