import { Field, ID, InputType, Int, ObjectType, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { DomainError, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import { parseFields, parseGuard } from "../../domain/shared/field-parsing.js";
import { toCursor } from "../../domain/shared/pagination.js";
import { parseChangeId } from "../../domain/user-groups/bulk-change.js";
import type { UserGroup, UserGroupUpsert } from "../../domain/user-groups/user-group.js";
import { type BulkEdit, MAX_BULK_EDITS } from "../../services/user-groups/bulk-edits.js";
import type { BulkUpdated, Edited } from "../../services/user-groups/bulk-transactions.js";
import { MAX_UPSERTS, type UpsertedGroup } from "../../services/user-groups/upserts.js";
import { positionById } from "../shared/connection-type.js";
import type { GraphqlContext } from "../shared/context.js";
import { WriterMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserErrorView } from "../shared/user-error-type.js";
import {
  BulkInput,
  BY_ID,
  describeList,
  parseAll,
  parseBulkChange,
  parseBulkUpdate,
  UpdateUserGroupsInput,
} from "./bulk-inputs.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import {
  GRACE_SECONDS,
  parseChangedFields,
  parseGrace,
  parseIdentified,
  UserGroupChangesInput,
} from "./mutations.js";
import { UserGroupView } from "./type.js";

@InputType()
abstract class BulkEditInput extends BulkInput {
  @Field(() => [UserGroupBy], { description: describeList(MAX_BULK_EDITS) })
  readonly userGroups!: UserGroupBy[];
}

@InputType("RotateUserGroupTokensInput", { description: "Input for `rotateUserGroupTokens`." })
class RotateUserGroupTokensInput extends BulkEditInput {
  @OptionalField(() => Int, GRACE_SECONDS)
  readonly graceSeconds?: number | null;
}

@InputType("DeleteUserGroupsInput", { description: "Input for `deleteUserGroups`." })
class DeleteUserGroupsInput extends BulkEditInput {}

@ObjectType()
abstract class BulkEditResult {
  @Field(() => [UserErrorView], {
    description:
      "The errors of this user group, or `BATCH_REJECTED` if errors of others prevented all changes. Paths are relative to the user group.",
  })
  readonly userErrors!: readonly UserErrorView[];
}

@ObjectType("UpdateUserGroupsResult", { description: "The result for one user group of `updateUserGroups`." })
export class UpdateUserGroupsResult extends BulkEditResult {
  @Field(() => UserGroupView, nullable("The user group, also if it was refused; null if it does not exist."))
  readonly userGroup!: UserGroupView | null;

  @Field(() => Boolean, { description: "Whether the user group differed and was changed." })
  readonly isChanged!: boolean;
}

@ObjectType("RotateUserGroupTokensResult", {
  description: "The result for one user group of `rotateUserGroupTokens`.",
})
class RotateUserGroupTokensResult extends BulkEditResult {
  @Field(() => UserGroupView, nullable("The user group; null if its token was not rotated."))
  readonly userGroup!: UserGroupView | null;
}

@ObjectType("DeleteUserGroupsResult", { description: "The result for one user group of `deleteUserGroups`." })
class DeleteUserGroupsResult extends BulkEditResult {
  @Field(() => ID, nullable("The global ID of the deleted user group; null if it was not deleted."))
  readonly deletedUserGroupId!: string | null;
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

  @OptionalField(() => String, "The user group's name. Required if the user group does not exist yet.")
  readonly name?: string | null;
}

@InputType("UpsertUserGroupsInput", { description: "Input for `upsertUserGroups`." })
class UpsertUserGroupsInput {
  @Field(() => [UpsertUserGroupInput], { description: describeList(MAX_UPSERTS) })
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
  readonly userGroup!: UserGroupView | null;

  @Field(
    () => Boolean,
    nullable("Indicates whether the mutation created the user group; null if it was not written."),
  )
  readonly isNew!: boolean | null;

  @Field(() => [UserErrorView], {
    description:
      "The errors in this user group, or `BATCH_REJECTED` if errors in others prevented all writes. Paths are relative to the user group.",
  })
  readonly userErrors!: readonly UserErrorView[];
}

const IN_ORDER = { description: "One result for each user group, in the order of the input." };
export const BULK_ERRORS = [
  () => [UserErrorView],
  { description: "All errors except `BATCH_REJECTED`. Paths are relative to the input." },
] as const;

@Resolver()
export class BulkMutations {
  @WriterMutation(
    "Makes the same change to several user groups in one transaction.",
    () => UpdateUserGroupsInput,
    {
      results: [
        () => [UpdateUserGroupsResult],
        {
          description:
            "One result for each user group, in the order of the input or, with `filter` or `all`, of internal IDs.",
        },
      ],
      endCursor: [
        () => String,
        nullable(
          "With `filter` or `all`: the cursor for `after`; null if no more user groups match, or if `allOrNothing` prevented the changes of this call. Earlier calls are not undone.",
        ),
      ],
      userErrors: BULK_ERRORS,
    },
  )
  async updateUserGroups(input: UpdateUserGroupsInput, writer: Writer, { services }: GraphqlContext) {
    const { edit, change, changeId } = parseFields({
      edit: () => parseBulkUpdate(input),
      change: () => parseBulkChange(input),
      changeId: () => parseGuard(["bulkChangeId"], input.bulkChangeId, parseChangeId),
    });
    const { outcomes, page } = await services.userGroupBulkEdits.update(writer, edit, change, {
      isDryRun: input.dryRun,
      changeId,
    });
    const isRefused = edit.allOrNothing && outcomes.some(isFailure);
    const last = page?.hasMore && !isRefused ? page.items.at(-1) : undefined;
    return {
      ...viewOutcomes(outcomes, viewUpdated, MAX_FIELD_ERRORS),
      endCursor: last ? toCursor(BY_ID.field, positionById(last)) : null,
    };
  }

  @WriterMutation(
    "Rotates the tokens of several user groups in one transaction. The old tokens are invalidated like those of `rotateUserGroupToken`.",
    () => RotateUserGroupTokensInput,
    { results: [() => [RotateUserGroupTokensResult], IN_ORDER], userErrors: BULK_ERRORS },
  )
  async rotateUserGroupTokens(input: RotateUserGroupTokensInput, writer: Writer, context: GraphqlContext) {
    const { userGroupBulkEdits, userGroups } = context.services;
    const { edit, graceSeconds } = parseFields({
      edit: () => parseBulkEdit(input),
      graceSeconds: () => parseGrace(input.graceSeconds, userGroups.tokenGraceSeconds),
    });
    const outcomes = await userGroupBulkEdits.rotateTokens(writer, edit, graceSeconds);
    return viewOutcomes(outcomes, (rotated: Edited | null) => ({
      userGroup: rotated && new UserGroupView(rotated.userGroup),
    }));
  }

  @WriterMutation(
    "Deletes several user groups and their mappings in one transaction.",
    () => DeleteUserGroupsInput,
    { results: [() => [DeleteUserGroupsResult], IN_ORDER], userErrors: BULK_ERRORS },
  )
  async deleteUserGroups(input: DeleteUserGroupsInput, writer: Writer, { services }: GraphqlContext) {
    const outcomes = await services.userGroupBulkEdits.delete(writer, parseBulkEdit(input));
    return viewOutcomes(outcomes, (deleted: Edited | null) => ({
      deletedUserGroupId: deleted && toNodeId("UserGroup", deleted.userGroup.id),
    }));
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
    const { allOrNothing } = input;
    const outcomes = await services.userGroupUpserts.upsert(writer, upserts, { allOrNothing });
    const view = (written: UpsertedGroup | null) => ({
      userGroup: written && new UserGroupView(written.userGroup),
      isNew: written && written.change === "created",
    });
    return viewOutcomes(outcomes, view, MAX_FIELD_ERRORS);
  }
}

/** Returns the fields of `UpdateUserGroupsResult`. */
export function viewUpdated(updated: BulkUpdated | null, refused: UserGroup | null) {
  const userGroup = updated?.userGroup ?? refused;
  return { userGroup: userGroup && new UserGroupView(userGroup), isChanged: updated?.changed ?? false };
}

function parseUpsert(group: UpsertUserGroupInput): UserGroupUpsert {
  const { providedId, fields } = parseIdentified(group.providedId, () => parseChangedFields(group));
  return { providedId, ...fields };
}

interface Failure {
  readonly error: DomainError;
  /** The user group that exists, but was not changed. */
  readonly refused?: UserGroup | null;
}

function isFailure(outcome: object): outcome is Failure {
  return "error" in outcome;
}

/**
 * Returns a payload: the result of each user group, and the errors of all of them with their paths in the input.
 * @param view returns the fields of a result; of null if the user group was not written
 * @param maxErrors number of errors after which only the first one of each further user group is listed
 */
export function viewOutcomes<Written extends object, View extends object>(
  outcomes: readonly (Written | Failure)[],
  view: (written: Written | null, refused: UserGroup | null) => View,
  maxErrors = Number.POSITIVE_INFINITY,
) {
  const results: (View & { readonly userErrors: readonly UserErrorView[] })[] = [];
  const all: UserErrorView[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const errors = isFailure(outcome) ? UserErrorView.allOf(outcome.error) : [];
    const userErrors = errors.slice(0, Math.max(1, maxErrors - all.length));
    const viewed = isFailure(outcome) ? view(null, outcome.refused ?? null) : view(outcome, null);
    results.push({ ...viewed, userErrors });
    // The others are merely consequences of errors in other user groups.
    const causes = userErrors.filter(({ code }) => code !== "batch_rejected");
    all.push(...causes.map((error) => error.within(["userGroups", String(index)])));
  }
  return { results, userErrors: all };
}
