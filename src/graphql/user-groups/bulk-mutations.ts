import { Field, ID, InputType, Int, ObjectType, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import {
  DomainError,
  domainErrorOr,
  type FieldPath,
  invalidField,
  MAX_FIELD_ERRORS,
} from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { isPresent } from "../../domain/shared/json.js";
import { parsePage, toCursor } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseMappingList } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import {
  type BulkChange,
  type BulkEdit,
  type BulkUpdated,
  type Edited,
  MAX_BULK_EDITS,
  MAX_BULK_ENTRIES,
  MAX_BULK_UPDATES,
} from "../../services/user-groups/bulk-edits.js";
import { MAX_UPSERTS, type UpsertedGroup, type UserGroupUpsert } from "../../services/user-groups/upserts.js";
import { positionById } from "../shared/connection-type.js";
import type { GraphqlContext } from "../shared/context.js";
import { WriterMutation } from "../shared/mutation.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { parseUserGroupFilter, UserGroupFilterInput } from "./list-resolver.js";
import {
  GRACE_SECONDS,
  MappingInput,
  PATCH_RULES,
  parseChangedFields,
  parseGrace,
  parseIdentified,
  UserGroupChangesInput,
} from "./mutations.js";
import { UserGroupView } from "./type.js";

@InputType()
abstract class BulkInput {
  @Field(() => Boolean, {
    defaultValue: true,
    description:
      "If true, no user group is changed if any of them does not exist or is invalid. If false, only those are skipped.",
  })
  readonly allOrNothing!: boolean;
}

@InputType()
abstract class BulkEditInput extends BulkInput {
  @Field(() => [UserGroupBy], { description: `The user groups, at most ${MAX_BULK_EDITS}.` })
  readonly userGroups!: UserGroupBy[];
}

@InputType("UpdateUserGroupsInput", {
  description:
    "Input for `updateUserGroups`: `userGroups` or `filter`, and the change, which is the same for all.",
})
class UpdateUserGroupsInput extends BulkInput {
  @Field(() => [UserGroupBy], nullable(`The user groups, at most ${MAX_BULK_UPDATES}.`))
  readonly userGroups?: UserGroupBy[] | null;

  @Field(
    () => UserGroupFilterInput,
    nullable(
      `Instead of \`userGroups\`: the user groups that meet all conditions, ordered by internal ID, at most ${MAX_BULK_UPDATES} per call. Without conditions, all user groups.`,
    ),
  )
  readonly filter?: UserGroupFilterInput | null;

  @Field(
    () => String,
    nullable("With `filter`: the `endCursor` of the previous call, after which this one continues."),
  )
  readonly after?: string | null;

  @Field(() => GraphQLJSON, nullable(`A JSON Merge Patch (RFC 7396) of the properties: ${PATCH_RULES}`))
  readonly propertiesPatch?: unknown;

  @Field(
    () => [MappingInput],
    nullable(
      `Mapping entries to add, at most ${MAX_BULK_ENTRIES}; they replace existing entries of the same schemas.`,
    ),
  )
  readonly setMapping?: MappingInput[] | null;

  @Field(() => [String], nullable(`IDs of schemas to remove from the mappings, at most ${MAX_BULK_ENTRIES}.`))
  readonly removeMapping?: string[] | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      "If true, nothing is changed, and the results are those of the same call without `dryRun`; only `mapping` is still the current one.",
  })
  readonly dryRun!: boolean;
}

@InputType("RotateUserGroupTokensInput", { description: "Input for `rotateUserGroupTokens`." })
class RotateUserGroupTokensInput extends BulkEditInput {
  @Field(() => Int, GRACE_SECONDS)
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
class UpdateUserGroupsResult extends BulkEditResult {
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
const BULK_ERRORS = [
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
            "One result for each user group, in the order of the input or, with `filter`, of internal IDs.",
        },
      ],
      endCursor: [
        () => String,
        nullable("With `filter`: the cursor for `after`; null if no more user groups match."),
      ],
      userErrors: BULK_ERRORS,
    },
  )
  async updateUserGroups(input: UpdateUserGroupsInput, writer: Writer, { services }: GraphqlContext) {
    const { edit, change } = parseFields({
      edit: () => parseBulkUpdate(input),
      change: () => parseBulkChange(input),
    });
    const { outcomes, page } = await services.userGroupBulkEdits.update(writer, edit, change, input.dryRun);
    const last = page?.hasMore ? page.items.at(-1) : undefined;
    const view = (updated: BulkUpdated | null, refused: UserGroup | null) => {
      const userGroup = updated?.userGroup ?? refused;
      return {
        userGroup: userGroup && new UserGroupView(userGroup),
        isChanged: updated?.changed ?? false,
      };
    };
    return {
      ...viewOutcomes(outcomes, view, MAX_FIELD_ERRORS),
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
    const outcomes = await services.userGroupUpserts.upsert(writer, upserts, input.allOrNothing);
    const view = (written: UpsertedGroup | null) => ({
      userGroup: written && new UserGroupView(written.userGroup),
      isNew: written?.created ?? null,
    });
    return viewOutcomes(outcomes, view, MAX_FIELD_ERRORS);
  }
}

const BY_ID = { field: "teamId", kind: "id" } as const;

/** @throws DomainError `invalid_field` */
function parseBulkUpdate({ userGroups, filter, after, allOrNothing }: UpdateUserGroupsInput) {
  if (isPresent(userGroups) === isPresent(filter))
    throw invalidField(["userGroups"], "or `filter` is required, but not both");
  if (userGroups) {
    if (isPresent(after)) throw invalidField(["after"], "must not be sent without `filter`");
    const refs = parseAll(userGroups, MAX_BULK_UPDATES, (by) => parseUserGroupBy(by, []));
    return { refs, allOrNothing };
  }
  const page = parsePage({ first: MAX_BULK_UPDATES, after: after ?? null }, BY_ID);
  return { filter: parseUserGroupFilter(filter), page, allOrNothing };
}

/** @throws DomainError `invalid_field` */
function parseBulkChange({ propertiesPatch, setMapping, removeMapping }: UpdateUserGroupsInput): BulkChange {
  if (propertiesPatch === undefined && !isPresent(setMapping) && !isPresent(removeMapping))
    throw invalidField(["propertiesPatch"], "`setMapping` or `removeMapping` is required");
  return parseFields<BulkChange>({
    ...(propertiesPatch === undefined
      ? {}
      : { propertiesPatch: () => parseProperties(propertiesPatch, ["propertiesPatch"]) }),
    setMapping: () => parseMappingList(fewEntries(setMapping, ["setMapping"]), ["setMapping"]),
    removeMapping: () =>
      fewEntries(removeMapping, ["removeMapping"]).map((schemaId, index) =>
        parseText(schemaId, ["removeMapping", String(index)]),
      ),
  });
}

/** @throws DomainError `invalid_field` */
function fewEntries<Entry>(entries: readonly Entry[] | null | undefined, field: FieldPath): readonly Entry[] {
  if (isPresent(entries) && entries.length > MAX_BULK_ENTRIES)
    throw invalidField(field, `must have at most ${MAX_BULK_ENTRIES} entries`);
  return entries ?? [];
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
function viewOutcomes<Written extends object, View extends object>(
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
