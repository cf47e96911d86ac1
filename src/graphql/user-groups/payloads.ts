import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { UserGroupView } from "./type.js";

export interface UserGroupValues {
  readonly userGroup: UserGroupView;
}

const USER_GROUP = [() => UserGroupView, "The user group; null if the mutation failed."] as const;

export const CreateUserGroupPayload = createPayloadType<UserGroupValues>("createUserGroup", {
  userGroup: USER_GROUP,
});

export const UpdateUserGroupPayload = createPayloadType<UserGroupValues>("updateUserGroup", {
  userGroup: USER_GROUP,
});

export const RotateUserGroupTokenPayload = createPayloadType<UserGroupValues>("rotateUserGroupToken", {
  userGroup: USER_GROUP,
});

export const SetUserGroupMappingPayload = createPayloadType<UserGroupValues>("setUserGroupMapping", {
  userGroup: USER_GROUP,
});

export const RemoveUserGroupMappingPayload = createPayloadType<UserGroupValues>("removeUserGroupMapping", {
  userGroup: USER_GROUP,
});

export const ReplaceUserGroupMappingPayload = createPayloadType<UserGroupValues>("replaceUserGroupMapping", {
  userGroup: USER_GROUP,
});

export const GetOrCreateUserGroupPayload = createPayloadType<UserGroupValues & { readonly isNew: boolean }>(
  "getOrCreateUserGroup",
  {
    userGroup: USER_GROUP,
    isNew: [() => Boolean, "Indicates whether the mutation created the user group; null if it failed."],
  },
);

export const DeleteUserGroupPayload = createPayloadType<{ readonly deletedUserGroupId: string }>(
  "deleteUserGroup",
  { deletedUserGroupId: [() => ID, "The global ID of the deleted user group; null if the mutation failed."] },
);
