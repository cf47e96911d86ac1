import { Field, InputType, ObjectType } from "type-graphql";
import { DomainError, domainErrorOr, invalidField, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import { nullable } from "../shared/nullable.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseChangedFields, parseIdentified, UserGroupChangesInput } from "./inputs.js";
import { errorsOfItems, isCause } from "./item-errors.js";
import { UserGroupView } from "./type.js";

@InputType("UpsertUserGroupInput", {
  description: "A user group to create or update. Omitted fields keep their values.",
})
export class UpsertUserGroupInput extends UserGroupChangesInput {
  @Field(() => String, {
    description: "The user group's external ID, unique within its environment and within the request.",
  })
  readonly providedId!: string;

  @Field(() => String, nullable("The user group's name. Required if the user group does not exist yet."))
  readonly name?: string | null;
}

@InputType("UpsertUserGroupsInput", { description: "Input for `upsertUserGroups`." })
export class UpsertUserGroupsInput {
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
export class UpsertUserGroupResult {
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
export class UpsertUserGroupsPayload {
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

export function viewOutcomes(outcomes: readonly UpsertOutcome[]) {
  let listed = 0;
  const results = outcomes.map((outcome) => {
    const result = new UpsertUserGroupResult(outcome, Math.max(1, MAX_FIELD_ERRORS - listed));
    listed += result.userErrors.filter(isCause).length;
    return result;
  });
  return { results };
}

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
export function parseUpserts(input: UpsertUserGroupsInput): (UserGroupUpsert | DomainError)[] {
  if (input.userGroups.length > MAX_UPSERTS) {
    throw invalidField(["userGroups"], `must have at most ${MAX_UPSERTS} user groups`);
  }
  return input.userGroups.map((group) => domainErrorOr(() => parseUpsert(group)));
}

function parseUpsert(group: UpsertUserGroupInput): UserGroupUpsert {
  const { providedId, fields } = parseIdentified(group.providedId, () => parseChangedFields(group));
  return { providedId, ...fields };
}
