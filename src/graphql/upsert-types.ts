import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, ObjectType } from "type-graphql";
import { DomainError, invalidField } from "../domain/errors.js";
import { parseText } from "../domain/text-field.js";
import { MAX_UPSERTS, type UpsertOutcome, type UserGroupUpsert } from "../services/user-group-upserts.js";
import { UserErrorView } from "./user-error-type.js";
import { MappingInput, parseChangedFields } from "./user-group-inputs.js";
import { UserGroupView } from "./user-group-type.js";

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

  constructor(outcome: UpsertOutcome) {
    const written = outcome && "userGroup" in outcome ? outcome : null;
    this.userGroup = written && new UserGroupView(written.userGroup);
    this.newUserGroup = written?.created ?? null;
    this.userErrors = outcome && "error" in outcome ? [new UserErrorView(outcome.error)] : [];
  }
}

@ObjectType("UpsertUserGroupsPayload", { description: "What became of all groups of the call." })
export class UpsertUserGroupsPayload {
  @Field(() => [UpsertUserGroupResult], {
    description: "A result for each group, in the order of the input.",
  })
  readonly results: UpsertUserGroupResult[];

  @Field(() => [UserErrorView], { description: "All that went wrong; paths begin at the input." })
  readonly userErrors: UserErrorView[];

  constructor(outcomes: readonly UpsertOutcome[], userErrors: UserErrorView[] = []) {
    this.results = outcomes.map((outcome) => new UpsertUserGroupResult(outcome));
    this.userErrors = [...userErrors, ...outcomes.flatMap(errorsInInput)];
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
  return { providedId: parseText(group.providedId, ["providedId"]), ...parseChangedFields(group) };
}

function errorsInInput(outcome: UpsertOutcome, index: number): UserErrorView[] {
  if (!outcome || !("error" in outcome)) return [];
  return [new UserErrorView(outcome.error, ["userGroups", String(index)])];
}
