import { Field, ID, ObjectType } from "type-graphql";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { toNodeId } from "../shared/node-id.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { UserGroupView } from "./type.js";

@ObjectType("UserGroupPayload", { description: "The user group after a change." })
export class UserGroupPayload {
  @Field(() => UserGroupView, { nullable: true, description: "The group; null when the change failed." })
  readonly userGroup: UserGroupView | null;

  @Field(() => [UserErrorView], { description: "Why the change failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  constructor(userGroup: UserGroup | null, userErrors: UserErrorView[] = []) {
    this.userGroup = userGroup && new UserGroupView(userGroup);
    this.userErrors = userErrors;
  }
}

@ObjectType("GetOrCreateUserGroupPayload", { description: "The user group that was found or created." })
export class GetOrCreateUserGroupPayload {
  @Field(() => UserGroupView, { nullable: true, description: "The group; null when the call failed." })
  readonly userGroup: UserGroupView | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether this call created the group; null when it failed.",
  })
  readonly newUserGroup: boolean | null;

  @Field(() => [UserErrorView], { description: "Why the call failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  constructor(userGroup: UserGroup | null, newUserGroup: boolean | null, userErrors: UserErrorView[] = []) {
    this.userGroup = userGroup && new UserGroupView(userGroup);
    this.newUserGroup = newUserGroup;
    this.userErrors = userErrors;
  }
}

@ObjectType("DeleteUserGroupPayload", { description: "The user group that was deleted." })
export class DeleteUserGroupPayload {
  @Field(() => ID, {
    nullable: true,
    description: "The global id of the deleted group; null when the call failed.",
  })
  readonly deletedUserGroupId: string | null;

  @Field(() => [UserErrorView], { description: "Why the call failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  constructor(userGroup: UserGroup | null, userErrors: UserErrorView[] = []) {
    this.deletedUserGroupId = userGroup && toNodeId("UserGroup", userGroup.id);
    this.userErrors = userErrors;
  }
}
