import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { UserGroupView } from "./type.js";

export const UserGroupPayload = createPayloadType<{ userGroup: UserGroupView }>(
  "UserGroupPayload",
  "The result of creating or updating a user group.",
  { userGroup: [() => UserGroupView, "The user group; null if the mutation failed."] },
);

export const GetOrCreateUserGroupPayload = createPayloadType<{
  userGroup: UserGroupView;
  newUserGroup: boolean;
}>("GetOrCreateUserGroupPayload", "The result of `getOrCreateUserGroup`.", {
  userGroup: [() => UserGroupView, "The user group; null if the mutation failed."],
  newUserGroup: [() => Boolean, "Indicates whether the mutation created the user group; null if it failed."],
});

export const DeleteUserGroupPayload = createPayloadType<{ deletedUserGroupId: string }>(
  "DeleteUserGroupPayload",
  "The result of `deleteUserGroup`.",
  { deletedUserGroupId: [() => ID, "The global ID of the deleted user group; null if the mutation failed."] },
);
