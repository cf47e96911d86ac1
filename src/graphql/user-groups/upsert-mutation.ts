import { Ctx, Mutation, Resolver } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { Input } from "../shared/payload.js";
import {
  parseUpserts,
  UpsertUserGroupsInput,
  UpsertUserGroupsPayload,
  viewOutcomes,
} from "./upsert-types.js";

@Resolver()
export class UpsertMutation {
  @Mutation(() => UpsertUserGroupsPayload, {
    description: "Creates or updates several user groups in one transaction.",
  })
  async upsertUserGroups(
    @Input(() => UpsertUserGroupsInput) input: UpsertUserGroupsInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, UpsertUserGroupsPayload, async (writer, { userGroupUpserts }) =>
      viewOutcomes(await userGroupUpserts.upsert(writer, parseUpserts(input), input.allOrNothing)),
    );
  }
}
