import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, ObjectType } from "type-graphql";
import { DomainError, invalidField, MAX_FIELD_ERRORS } from "../../domain/shared/errors.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { MappingInput, parseChangedFields, parseIdentified } from "./inputs.js";
import { UserGroupView } from "./type.js";

@InputType("UpsertUserGroupInput", {
  description: "A user group to create, or to change: fields that are absent stay as they are.",
})
export class UpsertUserGroupInput {
  @Field(() => String, { description: "Your own id of the group; each only once in a call." })
  readonly providedId!: string;

  @Field(() => String, { nullable: true, description: "The name; required only when the group is created." })
  readonly name?: string | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: "A JSON object that replaces the properties; null clears them.",
  })
  readonly properties?: unknown;

  @Field(() => [MappingInput], {
    nullable: true,
    description: "A list that replaces the mapping; null clears it.",
  })
  readonly mapping?: MappingInput[] | null;
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

  /** @param maxErrors how many errors to list at most */
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
  readonly results: UpsertUserGroupResult[];

  @Field(() => [UserErrorView], {
    description: `All that went wrong; paths begin at the input. After ${MAX_FIELD_ERRORS} errors, only the first of each further group.`,
  })
  readonly userErrors: UserErrorView[];

  constructor(outcomes: readonly UpsertOutcome[], userErrors: UserErrorView[] = []) {
    let listed = 0;
    this.results = [];
    this.userErrors = [...userErrors];
    for (const [index, outcome] of outcomes.entries()) {
      const result = new UpsertUserGroupResult(outcome, Math.max(1, MAX_FIELD_ERRORS - listed));
      listed += result.userErrors.length;
      this.results.push(result);
      this.userErrors.push(...result.userErrors.map((error) => error.within(["userGroups", String(index)])));
    }
  }
}

/** Reads the groups of a call; a faulty one becomes its error. @throws DomainError `invalid_field` when there are too many */
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
