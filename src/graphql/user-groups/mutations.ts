import { Ctx, Mutation, Resolver } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { mutate, mutateIfAllowed } from "../shared/mutation.js";
import { toNodeId } from "../shared/node-id.js";
import { Input } from "../shared/payload.js";
import { parseUserGroupBy } from "./by.js";
import {
  CreateUserGroupInput,
  DeleteUserGroupInput,
  GetOrCreateUserGroupInput,
  parseDeletion,
  parseIdentified,
  parseNewUserGroup,
  parseProvidedId,
  parseUpdate,
  RotateUserGroupTokenInput,
  UpdateUserGroupInput,
} from "./inputs.js";
import {
  CreateUserGroupPayload,
  DeleteUserGroupPayload,
  GetOrCreateUserGroupPayload,
  RotateUserGroupTokenPayload,
  UpdateUserGroupPayload,
} from "./payloads.js";
import { UserGroupView } from "./type.js";

@Resolver()
export class UserGroupMutations {
  @Mutation(() => GetOrCreateUserGroupPayload, {
    description:
      "Returns the user group with this external ID unchanged, or creates it. Equivalent to `GET /api/user`, for clients that cannot send a body with GET.",
  })
  async getOrCreateUserGroup(
    @Input(() => GetOrCreateUserGroupInput) input: GetOrCreateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateIfAllowed(context, GetOrCreateUserGroupPayload, async (caller, { userGroups }) => {
      const { userGroup, created } = await userGroups.getOrCreate(caller, parseProvidedId(input), () =>
        parseNewUserGroup(input),
      );
      return { userGroup: new UserGroupView(userGroup), isNew: created };
    });
  }

  @Mutation(() => CreateUserGroupPayload, {
    description: "Creates a user group. Fails if its external ID is taken.",
  })
  async createUserGroup(
    @Input(() => CreateUserGroupInput) input: CreateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, CreateUserGroupPayload, async (writer, { userGroups }) => {
      const { providedId, fields } = parseIdentified(input.providedId, () => parseNewUserGroup(input));
      return { userGroup: new UserGroupView(await userGroups.create(writer, providedId, fields)) };
    });
  }

  @Mutation(() => UpdateUserGroupPayload, {
    description: "Updates a user group. Omitted fields keep their values.",
  })
  async updateUserGroup(
    @Input(() => UpdateUserGroupInput) input: UpdateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, UpdateUserGroupPayload, async (writer, { userGroups }) => {
      const { ref, changes } = parseUpdate(input);
      return { userGroup: new UserGroupView(await userGroups.update(writer, ref, changes)) };
    });
  }

  @Mutation(() => RotateUserGroupTokenPayload, {
    description:
      "Rotates the token of a user group. The old token is invalidated immediately, or after the grace period if the service has one.",
  })
  async rotateUserGroupToken(
    @Input(() => RotateUserGroupTokenInput) input: RotateUserGroupTokenInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, RotateUserGroupTokenPayload, async (writer, { userGroups }) => {
      const { userGroup } = await userGroups.rotateToken(writer, parseUserGroupBy(input.by));
      return { userGroup: new UserGroupView(userGroup) };
    });
  }

  @Mutation(() => DeleteUserGroupPayload, { description: "Deletes a user group and its mapping." })
  async deleteUserGroup(
    @Input(() => DeleteUserGroupInput) input: DeleteUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, DeleteUserGroupPayload, async (writer, { userGroups }) => {
      const { ref, expected } = parseDeletion(input);
      const { id } = await userGroups.delete(writer, ref, expected);
      return { deletedUserGroupId: toNodeId("UserGroup", id) };
    });
  }
}
