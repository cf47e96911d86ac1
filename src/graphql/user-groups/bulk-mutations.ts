import { Ctx, Mutation, Resolver } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { Input } from "../shared/payload.js";
import {
  DeleteUserGroupsInput,
  DeleteUserGroupsPayload,
  DeleteUserGroupsResult,
  parseBulkEdit,
  RotateUserGroupTokensInput,
  RotateUserGroupTokensPayload,
  RotateUserGroupTokensResult,
} from "./bulk-types.js";

@Resolver()
export class BulkMutations {
  @Mutation(() => RotateUserGroupTokensPayload, {
    description:
      "Rotates the tokens of several user groups in one transaction. The old tokens are invalidated like those of `rotateUserGroupToken`.",
  })
  async rotateUserGroupTokens(
    @Input(() => RotateUserGroupTokensInput) input: RotateUserGroupTokensInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, RotateUserGroupTokensPayload, async (writer, { userGroupBulkEdits }) => {
      const outcomes = await userGroupBulkEdits.rotateTokens(writer, parseBulkEdit(input));
      return { results: outcomes.map((outcome) => new RotateUserGroupTokensResult(outcome)) };
    });
  }

  @Mutation(() => DeleteUserGroupsPayload, {
    description: "Deletes several user groups and their mappings in one transaction.",
  })
  async deleteUserGroups(
    @Input(() => DeleteUserGroupsInput) input: DeleteUserGroupsInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, DeleteUserGroupsPayload, async (writer, { userGroupBulkEdits }) => {
      const outcomes = await userGroupBulkEdits.delete(writer, parseBulkEdit(input));
      return { results: outcomes.map((outcome) => new DeleteUserGroupsResult(outcome)) };
    });
  }
}
