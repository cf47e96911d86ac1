import { Field, ObjectType, registerEnumType } from "type-graphql";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { UserGroupEvent } from "../../services/user-groups/group-watch.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = {
  UPDATED: "updated",
  TOKEN_ROTATED: "tokenRotated",
  DELETED: "deleted",
} as const satisfies Record<string, UserGroupChangeKind>;

registerEnumType(UserGroupChangeKindEnum, {
  name: "UserGroupChangeKind",
  description: "How a user group changed.",
  valuesConfig: {
    UPDATED: { description: "Its name, properties or mapping changed." },
    TOKEN_ROTATED: { description: "It got a new token." },
    DELETED: { description: "It is gone; the subscription ends." },
  },
});

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
