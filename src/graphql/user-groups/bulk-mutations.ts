import { Field, ID, InputType, ObjectType, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { DomainError, domainErrorOr, invalidField, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import {
  type BulkEdit,
  type BulkEditOutcome,
  MAX_BULK_EDITS,
} from "../../services/user-groups/bulk-edits.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import type { GraphqlContext } from "../shared/context.js";
import { WriterMutation } from "../shared/mutation.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { parseChangedFields, parseIdentified, UserGroupChangesInput } from "./mutations.js";
import { UserGroupView } from "./type.js";

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

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
function parseAll<Input, Parsed>(
  userGroups: readonly Input[],
  max: number,
  parse: (input: Input) => Parsed,
): (Parsed | DomainError)[] {
  if (userGroups.length > max) throw invalidField(["userGroups"], `must have at most ${max} user groups`);
  return userGroups.map((input) => domainErrorOr(() => parse(input)));
}

function parseBulkEdit({ userGroups, allOrNothing }: BulkEditInput): BulkEdit {
  return { refs: parseAll(userGroups, MAX_BULK_EDITS, (by) => parseUserGroupBy(by, [])), allOrNothing };
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

function viewUpserts(outcomes: readonly UpsertOutcome[]): UpsertUserGroupResult[] {
  let listed = 0;
  return outcomes.map((outcome) => {
    const result = new UpsertUserGroupResult(outcome, Math.max(1, MAX_FIELD_ERRORS - listed));
    listed += result.userErrors.filter(isCause).length;
    return result;
  });
}

/** Returns a payload's results, and the errors of all of them with their paths in the input. */
function withErrors<Result extends { readonly userErrors: readonly UserErrorView[] }>(
  results: readonly Result[],
) {
  const userErrors = results.flatMap((result, index) =>
    result.userErrors.filter(isCause).map((error) => error.within(["userGroups", String(index)])),
  );
  return { results, userErrors };
}

/** Returns whether an error is not merely the consequence of errors in other user groups. */
function isCause({ code }: UserErrorView): boolean {
  return code !== "batch_rejected";
}

function parseUpsert(group: UpsertUserGroupInput): UserGroupUpsert {
  const { providedId, fields } = parseIdentified(group.providedId, () => parseChangedFields(group));
  return { providedId, ...fields };
}

const IN_ORDER = { description: "One result for each user group, in the order of the input." };
const BULK_ERRORS = [
  () => [UserErrorView],
  { description: "All errors except `BATCH_REJECTED`. Paths are relative to the input." },
] as const;

@Resolver()
export class BulkMutations {
  @WriterMutation(
    "Rotates the tokens of several user groups in one transaction. The old tokens are invalidated like those of `rotateUserGroupToken`.",
    () => RotateUserGroupTokensInput,
    { results: [() => [RotateUserGroupTokensResult], IN_ORDER], userErrors: BULK_ERRORS },
  )
  async rotateUserGroupTokens(
    input: RotateUserGroupTokensInput,
    writer: Writer,
    { services }: GraphqlContext,
  ) {
    const outcomes = await services.userGroupBulkEdits.rotateTokens(writer, parseBulkEdit(input));
    return withErrors(outcomes.map((outcome) => new RotateUserGroupTokensResult(outcome)));
  }

  @WriterMutation(
    "Deletes several user groups and their mappings in one transaction.",
    () => DeleteUserGroupsInput,
    { results: [() => [DeleteUserGroupsResult], IN_ORDER], userErrors: BULK_ERRORS },
  )
  async deleteUserGroups(input: DeleteUserGroupsInput, writer: Writer, { services }: GraphqlContext) {
    const outcomes = await services.userGroupBulkEdits.delete(writer, parseBulkEdit(input));
    return withErrors(outcomes.map((outcome) => new DeleteUserGroupsResult(outcome)));
  }

  @WriterMutation("Creates or updates several user groups in one transaction.", () => UpsertUserGroupsInput, {
    results: [() => [UpsertUserGroupResult], IN_ORDER],
    userErrors: [
      () => [UserErrorView],
      {
        description: `All errors except \`BATCH_REJECTED\`. Paths are relative to the input. After ${MAX_FIELD_ERRORS} errors, only the first error of each further user group is listed.`,
      },
    ],
  })
  async upsertUserGroups(input: UpsertUserGroupsInput, writer: Writer, { services }: GraphqlContext) {
    const upserts = parseAll(input.userGroups, MAX_UPSERTS, parseUpsert);
    return withErrors(
      viewUpserts(await services.userGroupUpserts.upsert(writer, upserts, input.allOrNothing)),
    );
  }
}
