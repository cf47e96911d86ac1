import { Field, InputType, ObjectType } from "type-graphql";
import { DomainError, invalidField, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseChangedFields, parseIdentified, UserGroupChangesInput } from "./inputs.js";
import { UserGroupView } from "./type.js";

@InputType("UpsertUserGroupInput", {
  description: "A user group to create, or to change: fields that are absent stay as they are.",
})
export class UpsertUserGroupInput extends UserGroupChangesInput {
  @Field(() => String, { description: "Your own id of the group; each only once in a call." })
  readonly providedId!: string;

  @Field(() => String, { nullable: true, description: "The name; required only when the group is created." })
  readonly name?: string | null;
}

@InputType("UpsertUserGroupsInput", { description: "Many user groups to create or change at once." })
export class UpsertUserGroupsInput {
  @Field(() => [UpsertUserGroupInput], { description: `The groups: at most ${MAX_UPSERTS}.` })
  readonly userGroups!: UpsertUserGroupInput[];

  @Field(() => Boolean, {
    defaultValue: true,
    description:
      "Whether one faulty group keeps all others from being written; otherwise only the faulty ones are left out.",
  })
  readonly allOrNothing!: boolean;
}

@ObjectType("UpsertUserGroupResult", { description: "What became of one group of the call." })
export class UpsertUserGroupResult {
  @Field(() => UserGroupView, { nullable: true, description: "The group; null when it was not written." })
  readonly userGroup: UserGroupView | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether this call created the group; null when it was not written.",
  })
  readonly newUserGroup: boolean | null;

  @Field(() => [UserErrorView], { description: "Why the group was not written; paths begin at the group." })
  readonly userErrors: UserErrorView[];

  /** @param maxErrors maximum number of errors to list */
  constructor(outcome: UpsertOutcome, maxErrors: number) {
    const written = outcome && "userGroup" in outcome ? outcome : null;
    this.userGroup = written && new UserGroupView(written.userGroup);
    this.newUserGroup = written?.created ?? null;
    this.userErrors =
      outcome && "error" in outcome ? UserErrorView.allOf(outcome.error).slice(0, maxErrors) : [];
  }
}

@ObjectType("UpsertUserGroupsPayload", { description: "What became of all groups of the call." })
export class UpsertUserGroupsPayload {
  @Field(() => [UpsertUserGroupResult], {
    description: "A result for each group, in the order of the input.",
  })
  readonly results: readonly UpsertUserGroupResult[];

  @Field(() => [UserErrorView], {
    description: `All that went wrong; paths begin at the input. After ${MAX_FIELD_ERRORS} errors, only the first of each further group.`,
  })
  readonly userErrors: readonly UserErrorView[];

  constructor(
    values: { readonly results?: readonly UpsertUserGroupResult[] } | null,
    userErrors: readonly UserErrorView[] = [],
  ) {
    this.results = values?.results ?? [];
    this.userErrors = [
      ...userErrors,
      ...this.results.flatMap((result, index) =>
        result.userErrors.map((error) => error.within(["userGroups", String(index)])),
      ),
    ];
  }
}

export function viewOutcomes(outcomes: readonly UpsertOutcome[]) {
  let listed = 0;
  const results = outcomes.map((outcome) => {
    const result = new UpsertUserGroupResult(outcome, Math.max(1, MAX_FIELD_ERRORS - listed));
    listed += result.userErrors.length;
    return result;
  });
  return { results };
}

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
export function parseUpserts(input: UpsertUserGroupsInput): (UserGroupUpsert | DomainError)[] {
  if (input.userGroups.length > MAX_UPSERTS) {
    throw invalidField(["userGroups"], `must have at most ${MAX_UPSERTS} groups`);
  }
  return input.userGroups.map((group) => {
    try {
      return parseUpsert(group);
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  });
}

function parseUpsert(group: UpsertUserGroupInput): UserGroupUpsert {
  const { providedId, fields } = parseIdentified(group.providedId, () => parseChangedFields(group));
  return { providedId, ...fields };
}
