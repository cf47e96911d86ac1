import { Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from "type-graphql";
import { DomainError, domainErrorOr, invalidField, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import {
  type BulkEdit,
  type BulkEditOutcome,
  MAX_BULK_EDITS,
} from "../../services/user-groups/bulk-edits.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { toNodeId } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { Input } from "../shared/payload.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { parseChangedFields, parseIdentified, UserGroupChangesInput } from "./inputs.js";
import { UserGroupView } from "./type.js";

interface ItemResult {
  readonly userErrors: readonly UserErrorView[];
}

/** Returns the errors of all user groups of a call, with their paths in the input. */
function errorsOfItems(results: readonly ItemResult[]): UserErrorView[] {
  return results.flatMap(({ userErrors }, index) =>
    userErrors.filter(isCause).map((error) => error.within(["userGroups", String(index)])),
  );
}

/** Returns whether an error is not merely the consequence of errors in other user groups. */
function isCause({ code }: UserErrorView): boolean {
  return code !== "batch_rejected";
}

@InputType()
abstract class BulkEditInput {
  @Field(() => [UserGroupBy], { description: `The user groups, at most ${MAX_BULK_EDITS}.` })
  readonly userGroups!: UserGroupBy[];

  @Field(() => Boolean, {
    defaultValue: true,
    description:
      "If true, no user group is changed if any of them does not exist or is invalid. If false, only those are skipped.",
  })
  readonly allOrNothing!: boolean;
}

@InputType("RotateUserGroupTokensInput", { description: "Input for `rotateUserGroupTokens`." })
class RotateUserGroupTokensInput extends BulkEditInput {}

@InputType("DeleteUserGroupsInput", { description: "Input for `deleteUserGroups`." })
class DeleteUserGroupsInput extends BulkEditInput {}

@ObjectType()
abstract class BulkEditResult {
  @Field(() => [UserErrorView], {
    description:
      "The errors of this user group, or `BATCH_REJECTED` if errors of others prevented all changes. Paths are relative to the user group.",
  })
  readonly userErrors: readonly UserErrorView[];

  constructor(outcome: BulkEditOutcome) {
    this.userErrors = "error" in outcome ? UserErrorView.allOf(outcome.error) : [];
  }
}

@ObjectType("RotateUserGroupTokensResult", {
  description: "The result for one user group of `rotateUserGroupTokens`.",
})
class RotateUserGroupTokensResult extends BulkEditResult {
  @Field(() => UserGroupView, nullable("The user group; null if its token was not rotated."))
  readonly userGroup: UserGroupView | null;

  constructor(outcome: BulkEditOutcome) {
    super(outcome);
    this.userGroup = "userGroup" in outcome ? new UserGroupView(outcome.userGroup) : null;
  }
}

@ObjectType("DeleteUserGroupsResult", { description: "The result for one user group of `deleteUserGroups`." })
class DeleteUserGroupsResult extends BulkEditResult {
  @Field(() => ID, nullable("The global ID of the deleted user group; null if it was not deleted."))
  readonly deletedUserGroupId: string | null;

  constructor(outcome: BulkEditOutcome) {
    super(outcome);
    this.deletedUserGroupId = "userGroup" in outcome ? toNodeId("UserGroup", outcome.userGroup.id) : null;
  }
}

@ObjectType()
abstract class BulkEditPayload {
  @Field(() => [UserErrorView], {
    description: "All errors except `BATCH_REJECTED`. Paths are relative to the input.",
  })
  readonly userErrors: readonly UserErrorView[];

  constructor(results: readonly BulkEditResult[], userErrors: readonly UserErrorView[]) {
    this.userErrors = [...userErrors, ...errorsOfItems(results)];
  }
}

@ObjectType("RotateUserGroupTokensPayload", { description: "The result of `rotateUserGroupTokens`." })
class RotateUserGroupTokensPayload extends BulkEditPayload {
  @Field(() => [RotateUserGroupTokensResult], {
    description: "One result for each user group, in the order of the input.",
  })
  readonly results: readonly RotateUserGroupTokensResult[];

  constructor(
    values: { readonly results?: readonly RotateUserGroupTokensResult[] } | null,
    userErrors: readonly UserErrorView[] = [],
  ) {
    const results = values?.results ?? [];
    super(results, userErrors);
    this.results = results;
  }
}

@ObjectType("DeleteUserGroupsPayload", { description: "The result of `deleteUserGroups`." })
class DeleteUserGroupsPayload extends BulkEditPayload {
  @Field(() => [DeleteUserGroupsResult], {
    description: "One result for each user group, in the order of the input.",
  })
  readonly results: readonly DeleteUserGroupsResult[];

  constructor(
    values: { readonly results?: readonly DeleteUserGroupsResult[] } | null,
    userErrors: readonly UserErrorView[] = [],
  ) {
    const results = values?.results ?? [];
    super(results, userErrors);
    this.results = results;
  }
}

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
function parseBulkEdit({ userGroups, allOrNothing }: BulkEditInput): BulkEdit {
  if (userGroups.length > MAX_BULK_EDITS) {
    throw invalidField(["userGroups"], `must have at most ${MAX_BULK_EDITS} user groups`);
  }
  return { refs: userGroups.map((by) => domainErrorOr(() => parseUserGroupBy(by, []))), allOrNothing };
}

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

@InputType("UpsertUserGroupInput", {
  description: "A user group to create or update. Omitted fields keep their values.",
})
class UpsertUserGroupInput extends UserGroupChangesInput {
  @Field(() => String, {
    description: "The user group's external ID, unique within its environment and within the request.",
  })
  readonly providedId!: string;

  @Field(() => String, nullable("The user group's name. Required if the user group does not exist yet."))
  readonly name?: string | null;
}

@InputType("UpsertUserGroupsInput", { description: "Input for `upsertUserGroups`." })
class UpsertUserGroupsInput {
  @Field(() => [UpsertUserGroupInput], { description: `The user groups, at most ${MAX_UPSERTS}.` })
  readonly userGroups!: UpsertUserGroupInput[];

  @Field(() => Boolean, {
    defaultValue: true,
    description:
      "If true, no user group is written if any of them is invalid. If false, only the invalid ones are skipped.",
  })
  readonly allOrNothing!: boolean;
}

@ObjectType("UpsertUserGroupResult", { description: "The result for one user group of `upsertUserGroups`." })
class UpsertUserGroupResult {
  @Field(() => UserGroupView, nullable("The user group; null if it was not written."))
  readonly userGroup: UserGroupView | null;

  @Field(
    () => Boolean,
    nullable("Indicates whether the mutation created the user group; null if it was not written."),
  )
  readonly isNew: boolean | null;

  @Field(() => [UserErrorView], {
    description:
      "The errors in this user group, or `BATCH_REJECTED` if errors in others prevented all writes. Paths are relative to the user group.",
  })
  readonly userErrors: UserErrorView[];

  /** @param maxErrors maximum number of errors to list */
  constructor(outcome: UpsertOutcome, maxErrors: number) {
    const written = "userGroup" in outcome ? outcome : null;
    this.userGroup = written && new UserGroupView(written.userGroup);
    this.isNew = written?.created ?? null;
    this.userErrors = "error" in outcome ? UserErrorView.allOf(outcome.error).slice(0, maxErrors) : [];
  }
}

@ObjectType("UpsertUserGroupsPayload", { description: "The result of `upsertUserGroups`." })
class UpsertUserGroupsPayload {
  @Field(() => [UpsertUserGroupResult], {
    description: "One result for each user group, in the order of the input.",
  })
  readonly results: readonly UpsertUserGroupResult[];

  @Field(() => [UserErrorView], {
    description: `All errors except \`BATCH_REJECTED\`. Paths are relative to the input. After ${MAX_FIELD_ERRORS} errors, only the first error of each further user group is listed.`,
  })
  readonly userErrors: readonly UserErrorView[];

  constructor(
    values: { readonly results?: readonly UpsertUserGroupResult[] } | null,
    userErrors: readonly UserErrorView[] = [],
  ) {
    this.results = values?.results ?? [];
    this.userErrors = [...userErrors, ...errorsOfItems(this.results)];
  }
}

function viewOutcomes(outcomes: readonly UpsertOutcome[]) {
  let listed = 0;
  const results = outcomes.map((outcome) => {
    const result = new UpsertUserGroupResult(outcome, Math.max(1, MAX_FIELD_ERRORS - listed));
    listed += result.userErrors.filter(isCause).length;
    return result;
  });
  return { results };
}

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
function parseUpserts(input: UpsertUserGroupsInput): (UserGroupUpsert | DomainError)[] {
  if (input.userGroups.length > MAX_UPSERTS) {
    throw invalidField(["userGroups"], `must have at most ${MAX_UPSERTS} user groups`);
  }
  return input.userGroups.map((group) => domainErrorOr(() => parseUpsert(group)));
}

function parseUpsert(group: UpsertUserGroupInput): UserGroupUpsert {
  const { providedId, fields } = parseIdentified(group.providedId, () => parseChangedFields(group));
  return { providedId, ...fields };
}

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
