import { Field, ID, InputType, ObjectType } from "type-graphql";
import { domainErrorOr, invalidField } from "../../domain/shared/errors.js";
import {
  type BulkEdit,
  type BulkEditOutcome,
  MAX_BULK_EDITS,
} from "../../services/user-groups/bulk-edits.js";
import { toNodeId } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { errorsOfItems } from "./item-errors.js";
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
export class RotateUserGroupTokensInput extends BulkEditInput {}

@InputType("DeleteUserGroupsInput", { description: "Input for `deleteUserGroups`." })
export class DeleteUserGroupsInput extends BulkEditInput {}

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
export class RotateUserGroupTokensResult extends BulkEditResult {
  @Field(() => UserGroupView, nullable("The user group; null if its token was not rotated."))
  readonly userGroup: UserGroupView | null;

  constructor(outcome: BulkEditOutcome) {
    super(outcome);
    this.userGroup = "userGroup" in outcome ? new UserGroupView(outcome.userGroup) : null;
  }
}

@ObjectType("DeleteUserGroupsResult", { description: "The result for one user group of `deleteUserGroups`." })
export class DeleteUserGroupsResult extends BulkEditResult {
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
export class RotateUserGroupTokensPayload extends BulkEditPayload {
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
export class DeleteUserGroupsPayload extends BulkEditPayload {
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
export function parseBulkEdit({ userGroups, allOrNothing }: BulkEditInput): BulkEdit {
  if (userGroups.length > MAX_BULK_EDITS) {
    throw invalidField(["userGroups"], `must have at most ${MAX_BULK_EDITS} user groups`);
  }
  return { refs: userGroups.map((by) => domainErrorOr(() => parseUserGroupBy(by, []))), allOrNothing };
}
