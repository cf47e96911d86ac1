import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { UserGroupView } from "./type.js";

export const UserGroupPayload = createPayloadType<{ userGroup: UserGroupView }>(
  "UserGroupPayload",
  "The user group after a change.",
  "change",
  { userGroup: [() => UserGroupView, "The group; null when the change failed."] },
);

export const GetOrCreateUserGroupPayload = createPayloadType<{
  userGroup: UserGroupView;
  newUserGroup: boolean;
}>("GetOrCreateUserGroupPayload", "The user group that was found or created.", "call", {
  userGroup: [() => UserGroupView, "The group; null when the call failed."],
  newUserGroup: [() => Boolean, "Whether this call created the group; null when it failed."],
});

export const DeleteUserGroupPayload = createPayloadType<{ deletedUserGroupId: string }>(
  "DeleteUserGroupPayload",
  "The user group that was deleted.",
  "call",
  { deletedUserGroupId: [() => ID, "The global id of the deleted group; null when the call failed."] },
);
