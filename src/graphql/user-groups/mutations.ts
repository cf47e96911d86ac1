import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { UserGroupService } from "../../services/user-groups/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate, mutateIfAllowed } from "../shared/mutation.js";
import {
  CreateUserGroupInput,
  DeleteUserGroupInput,
  GetOrCreateUserGroupInput,
  parseCurrentToken,
  parseExpectations,
  parseIdentified,
  parseNewUserGroup,
  parseProvidedId,
  parseUpdate,
  RotateUserGroupTokenInput,
  UpdateUserGroupInput,
} from "./inputs.js";
import { DeleteUserGroupPayload, GetOrCreateUserGroupPayload, UserGroupPayload } from "./payloads.js";

const INPUT = { description: "What to do." };

@Resolver()
export class UserGroupMutations {
  readonly #userGroups: UserGroupService;

  constructor(userGroups: UserGroupService) {
    this.#userGroups = userGroups;
  }

  @Mutation(() => GetOrCreateUserGroupPayload, {
    description:
      "Returns the group with this provided id unchanged, or creates it. The same as GET /api/user, for clients that cannot send a body with GET.",
  })
  async getOrCreateUserGroup(
    @Arg("input", () => GetOrCreateUserGroupInput, INPUT) input: GetOrCreateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<GetOrCreateUserGroupPayload> {
    return mutateIfAllowed(
      context,
      async (caller) => {
        const { userGroup, created } = await this.#userGroups.getOrCreate(
          caller,
          parseProvidedId(input),
          () => parseNewUserGroup(input),
        );
        return new GetOrCreateUserGroupPayload(userGroup, created);
      },
      (userErrors) => new GetOrCreateUserGroupPayload(null, null, userErrors),
    );
  }

  @Mutation(() => UserGroupPayload, {
    description: "Creates a user group; refused when its provided id is taken.",
  })
  async createUserGroup(
    @Arg("input", () => CreateUserGroupInput, INPUT) input: CreateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UserGroupPayload> {
    return mutate(
      context,
      async (writer) => {
        const { providedId, fields } = parseIdentified(input.providedId, () => parseNewUserGroup(input));
        return new UserGroupPayload(await this.#userGroups.create(writer, providedId, fields));
      },
      failedUserGroup,
    );
  }

  @Mutation(() => UserGroupPayload, {
    description: "Changes a user group: only the fields that are given.",
  })
  async updateUserGroup(
    @Arg("input", () => UpdateUserGroupInput, INPUT) input: UpdateUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UserGroupPayload> {
    return mutate(
      context,
      async (writer) => {
        const { ref, changes } = parseUpdate(input);
        return new UserGroupPayload(await this.#userGroups.update(writer, ref, changes));
      },
      failedUserGroup,
    );
  }

  @Mutation(() => UserGroupPayload, {
    description:
      "Gives a user group a new token; the old one ends at once, unless the service grants a grace period.",
  })
  async rotateUserGroupToken(
    @Arg("input", () => RotateUserGroupTokenInput, INPUT) input: RotateUserGroupTokenInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UserGroupPayload> {
    return mutate(
      context,
      async (writer) => {
        const { userGroup } = await this.#userGroups.rotateToken(writer, parseCurrentToken(input));
        return new UserGroupPayload(userGroup);
      },
      failedUserGroup,
    );
  }

  @Mutation(() => DeleteUserGroupPayload, { description: "Deletes a user group and its mapping." })
  async deleteUserGroup(
    @Arg("input", () => DeleteUserGroupInput, INPUT) input: DeleteUserGroupInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DeleteUserGroupPayload> {
    return mutate(
      context,
      async (writer) =>
        new DeleteUserGroupPayload(
          await this.#userGroups.delete(writer, parseCurrentToken(input), parseExpectations(input)),
        ),
      (userErrors) => new DeleteUserGroupPayload(null, userErrors),
    );
  }
}

function failedUserGroup(userErrors: UserGroupPayload["userErrors"]): UserGroupPayload {
  return new UserGroupPayload(null, userErrors);
}
