import { GraphQLDateTime } from "graphql-scalars";
import { Arg, Args, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { requireWrite } from "../../domain/accounts/scopes.js";
import { MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parsePage, toCursor } from "../../domain/shared/pagination.js";
import { type BulkChange, parseChangeId } from "../../domain/user-groups/bulk-change.js";
import { MAX_BULK_UPDATES } from "../../services/user-groups/bulk-edits.js";
import { createConnectionType, positionById, sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { ConnectionArguments } from "../shared/list-inputs.js";
import { WriterMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { BY_ID } from "./bulk-inputs.js";
import { BULK_ERRORS, UpdateUserGroupsResult, viewOutcomes, viewUpdated } from "./bulk-mutations.js";

@ObjectType("BulkChange", {
  description:
    "The same change of many user groups, made by one call of `updateUserGroups` or `undoBulkChange` or several. It has neither the filter nor the values.",
})
class BulkChangeView {
  @Field(() => ID, { description: "The ID that its author chose, a UUID." })
  readonly id!: string;

  @Field(() => ID, nullable("The ID of the bulk change that it undoes; null if it is not an undo."))
  readonly undoOf!: string | null;

  @Field(() => [String], { description: "The names of the fields that it changes." })
  readonly changed!: readonly string[];

  @Field(() => String, { description: "The name of the API key, person or operator that made it." })
  readonly authorName!: string;

  @Field(() => Int, { description: "The number of user groups that it has changed." })
  readonly changedCount!: number;

  @Field(() => GraphQLDateTime, { description: "The time of its first call." })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: "The time of its last call." })
  readonly updatedAt!: Date;

  constructor({ changeId, undoOf, changed, authorName, changedCount, createdAt, updatedAt }: BulkChange) {
    Object.assign(this, { id: changeId, undoOf, changed, authorName, changedCount, createdAt, updatedAt });
  }
}

const BulkChangeConnection = createConnectionType("BulkChange", BulkChangeView);

@InputType("UndoBulkChangeInput", { description: "Input for `undoBulkChange`." })
class UndoBulkChangeInput {
  @Field(() => ID, { description: "The ID of the bulk change to undo." })
  readonly id!: string;

  @Field(() => ID, {
    description:
      "The ID of the undo, which is a bulk change itself: a UUID that the caller chooses, the same for all pages.",
  })
  readonly bulkChangeId!: string;

  @OptionalField(
    () => String,
    "The `endCursor` of the previous call, after which this one continues. Null starts with the first user groups.",
  )
  readonly after?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: "If true, nothing is changed, and the results are those of the same call without `dryRun`.",
  })
  readonly dryRun!: boolean;
}

@ObjectType("UndoBulkChangeResult", { description: "The result for one user group of `undoBulkChange`." })
class UndoBulkChangeResult extends UpdateUserGroupsResult {
  @Field(() => ID, { description: "The global ID of the user group, also if it was deleted since." })
  readonly userGroupId!: string;
}

@Resolver()
export class BulkChangeResolver {
  @Query(() => BulkChangeView, nullable("A bulk change; null if it does not exist. Requires write scope."))
  async bulkChange(
    @Arg("id", () => ID, { description: "The ID that its author chose." }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<BulkChangeView | null> {
    const writer = requireWrite(requireSession(context).caller);
    const found = await context.services.bulkChanges.find(writer, parseChangeId(id, ["id"]));
    return found && new BulkChangeView(found);
  }

  @Query(() => BulkChangeConnection, {
    description: "The environment's bulk changes, newest first. Requires write scope, as undoing them does.",
  })
  bulkChanges(@Args(() => ConnectionArguments) page: ConnectionArguments, @Ctx() context: GraphqlContext) {
    requireWrite(requireSession(context).caller);
    return new BulkChangeConnection(sourceOf(context.services.bulkChanges.list, context, page, {}));
  }

  @WriterMutation(
    "Restores the values that user groups had before a bulk change. User groups that were changed since, or whose history does not have the values any more, are refused, each with its error.",
    () => UndoBulkChangeInput,
    {
      results: [
        () => [UndoBulkChangeResult],
        {
          description: `One result for each user group that the bulk change has changed, in the order of internal IDs, at most ${MAX_BULK_UPDATES} per call.`,
        },
      ],
      endCursor: [
        () => String,
        nullable("The cursor for `after`; null if no more user groups were changed."),
      ],
      userErrors: BULK_ERRORS,
    },
  )
  async undoBulkChange(input: UndoBulkChangeInput, writer: Writer, { services }: GraphqlContext) {
    const { after, ...ids } = parseFields({
      changeId: () => parseChangeId(input.id, ["id"]),
      undoId: () => parseChangeId(input.bulkChangeId, ["bulkChangeId"]),
      after: () => parsePage({ after: input.after ?? null }, BY_ID).after?.id ?? 0,
    });
    const undo = { ...ids, after, isDryRun: input.dryRun };
    const { outcomes, page } = await services.userGroupBulkEdits.undo(writer, undo);
    const last = page.hasMore ? page.items.at(-1) : undefined;
    const { results, userErrors } = viewOutcomes(outcomes, viewUpdated, MAX_FIELD_ERRORS);
    return {
      results: results.map((result, index) => ({
        ...result,
        userGroupId: toNodeId("UserGroup", page.items[index]?.id ?? 0),
      })),
      userErrors,
      endCursor: last ? toCursor(BY_ID.field, positionById(last)) : null,
    };
  }
}
