import { Field, ObjectType } from "type-graphql";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { UserGroupEvent } from "../../services/user-groups/group-watch.js";
import { createEnum } from "../shared/create-enum.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupChangeKind>(
  "UserGroupChangeKind",
  "How a user group changed.",
  {
    UPDATED: ["updated", "Its name, properties or mapping changed."],
    TOKEN_ROTATED: ["tokenRotated", "It got a new token."],
    DELETED: ["deleted", "It is gone; the subscription ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change of a user group." })
export class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, { description: "How the group changed." })
  readonly kind: UserGroupChangeKind;

  @Field(() => UserGroupView, {
    nullable: true,
    description: "The group as it is now; null when it is gone.",
  })
  readonly userGroup: UserGroupView | null;

  constructor({ kind, userGroup, mapping }: UserGroupEvent) {
    this.kind = kind;
    this.userGroup = userGroup && new UserGroupView(userGroup, mapping);
  }
}
