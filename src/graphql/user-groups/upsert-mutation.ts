import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { UserGroupUpserts } from "../../services/user-groups/upserts.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { parseUpserts, UpsertUserGroupsInput, UpsertUserGroupsPayload } from "./upsert-types.js";

@Resolver()
export class UpsertMutation {
  readonly #upserts: UserGroupUpserts;

  constructor(upserts: UserGroupUpserts) {
    this.#upserts = upserts;
  }

  @Mutation(() => UpsertUserGroupsPayload, {
    description:
      "Creates and changes many user groups in one transaction: those that are missing, and the others.",
  })
  async upsertUserGroups(
    @Arg("input", () => UpsertUserGroupsInput, { description: "What to do." }) input: UpsertUserGroupsInput,
    @Ctx() context: GraphqlContext,
  ): Promise<UpsertUserGroupsPayload> {
    return mutate(
      context,
      async (writer) =>
        new UpsertUserGroupsPayload(
          await this.#upserts.upsert(writer, parseUpserts(input), input.allOrNothing),
        ),
      (userErrors) => new UpsertUserGroupsPayload([], userErrors),
    );
  }
}
