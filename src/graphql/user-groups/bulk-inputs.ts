import { Field, ID, InputType, Int } from "type-graphql";
import { DomainError, domainErrorOr, type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { parseFields, parseGuard } from "../../domain/shared/field-parsing.js";
import { isPresent } from "../../domain/shared/json.js";
import { parsePage } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { UserGroupFilter } from "../../domain/user-groups/list.js";
import { parseMappingList } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import {
  type BulkEdit,
  type BulkPatch,
  type FilteredEdit,
  MAX_BULK_ENTRIES,
  MAX_BULK_UPDATES,
} from "../../services/user-groups/bulk-edits.js";
import { MAX_BULK_BYTES } from "../../services/user-groups/bulk-transactions.js";
import { OptionalField } from "../shared/mutation-input.js";
import { guard } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { parseUserGroupFilter, UserGroupFilterInput } from "./list-resolver.js";
import { MappingInput, PATCH_RULES } from "./mutations.js";

const MIB = 1024 * 1024;

/** Describes a list of user groups to change. */
export function describeList(maxUserGroups: number): string {
  return `The user groups, at most ${maxUserGroups}, whose stored properties have at most ${MAX_BULK_BYTES / MIB} MiB together.`;
}

@InputType()
export abstract class BulkInput {
  @Field(() => Boolean, {
    defaultValue: true,
    description:
      "If true, no user group of the call is changed if any of them does not exist or is invalid. If false, only those are skipped.",
  })
  readonly allOrNothing!: boolean;
}

@InputType("UpdateUserGroupsInput", {
  description:
    "Input for `updateUserGroups`: `userGroups`, `filter` or `all`, and the change, which is the same for all.",
})
export class UpdateUserGroupsInput extends BulkInput {
  @Field(() => [UserGroupBy], guard(describeList(MAX_BULK_UPDATES)))
  readonly userGroups?: UserGroupBy[] | null;

  @Field(
    () => UserGroupFilterInput,
    guard(
      `Instead of \`userGroups\`: the user groups that meet all conditions, ordered by internal ID, at most ${MAX_BULK_UPDATES} per call, and fewer if their properties and the patch have more than ${MAX_BULK_BYTES / MIB} MiB together. At least one condition is required; none may be null, blank, empty or a variable that was not sent. An empty list of \`providedIds\` matches no user group.`,
    ),
  )
  readonly filter?: UserGroupFilterInput | null;

  @Field(
    () => Boolean,
    guard(
      "If true, instead of `userGroups` and of conditions in `filter`: all user groups of the environment, like those of a filter.",
    ),
  )
  readonly all?: boolean | null;

  @Field(
    () => Int,
    guard(
      "With `filter` or `all`: the number of user groups that may match. If more match, on all pages together, nothing is changed. Send the same number with each page: user groups that no longer match after their change only make the number smaller.",
    ),
  )
  readonly expectedCount?: number | null;

  @OptionalField(
    () => String,
    "With `filter` or `all`: the `endCursor` of the previous call, after which this one continues. Null starts with the first user groups.",
  )
  readonly after?: string | null;

  @OptionalField(
    () => GraphQLJSON,
    `A JSON Merge Patch (RFC 7396) of the properties: ${PATCH_RULES} With \`userGroups\`, its size times their number is at most ${MAX_BULK_BYTES / MIB} MiB.`,
  )
  readonly propertiesPatch?: unknown;

  @OptionalField(
    () => [MappingInput],
    `Mapping entries to add, at most ${MAX_BULK_ENTRIES}; they replace existing entries of the same schemas. Null adds none.`,
  )
  readonly setMapping?: MappingInput[] | null;

  @OptionalField(
    () => [String],
    `IDs of schemas to remove from the mappings, at most ${MAX_BULK_ENTRIES}; none that \`setMapping\` sets. Null removes none.`,
  )
  readonly removeMapping?: string[] | null;

  @Field(
    () => ID,
    guard(
      "The ID of the bulk change that the call is part of: a UUID that the caller chooses, the same for all pages. The first call creates the bulk change; later ones of another author, or with another `filter` or change, fail with `BULK_CHANGE_MISMATCH`.",
    ),
  )
  readonly bulkChangeId?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      "If true, nothing is changed, and the results are those of the same call without `dryRun`; only `mapping` is still the current one.",
  })
  readonly dryRun!: boolean;
}

export const BY_ID = { field: "teamId", kind: "id" } as const;

/** Parses the user groups of an update, whose values `requireSentValues` has checked. @throws DomainError `invalid_field` */
export function parseBulkUpdate(input: UpdateUserGroupsInput): BulkEdit | FilteredEdit {
  const { userGroups, filter, all, allOrNothing } = input;
  const isByFilter = isPresent(filter) || all === true;
  if (isPresent(userGroups) === isByFilter)
    throw invalidField(["userGroups"], "or `filter` or `all: true` is required, but not both");
  if (userGroups) {
    for (const name of ["after", "expectedCount"] as const)
      if (isPresent(input[name])) throw invalidField([name], "must not be sent without `filter` or `all`");
    const refs = parseAll(userGroups, MAX_BULK_UPDATES, (by) => parseUserGroupBy(by, []));
    return { refs, allOrNothing };
  }
  return parseFields<FilteredEdit>({
    filter: () => parseConditions(filter),
    page: () => parsePage({ first: MAX_BULK_UPDATES, after: input.after ?? null }, BY_ID),
    expectedCount: () => parseGuard(["expectedCount"], input.expectedCount, parseCount),
    allOrNothing: () => allOrNothing,
  });
}

/** @throws DomainError `invalid_field`, also for the text of an empty object, which everything with properties contains */
function parseConditions(filter: UserGroupFilterInput | null | undefined): UserGroupFilter {
  const conditions = parseUserGroupFilter(filter);
  if (conditions.properties === "{}")
    throw invalidField(["filter", "properties"], "must not be blank or empty");
  return conditions;
}

/** @throws DomainError `invalid_field` */
function parseCount(count: number, field: FieldPath): number {
  if (count < 0) throw invalidField(field, "must not be negative");
  return count;
}

/** @throws DomainError `invalid_field` */
export function parseBulkChange({
  propertiesPatch,
  setMapping,
  removeMapping,
}: UpdateUserGroupsInput): BulkPatch {
  if (propertiesPatch === undefined && !isPresent(setMapping) && !isPresent(removeMapping))
    throw invalidField(["propertiesPatch"], "`setMapping` or `removeMapping` is required");
  const set = new Set(setMapping?.map(({ schemaId }) => schemaId));
  return parseFields<BulkPatch>({
    ...(propertiesPatch === undefined
      ? {}
      : { propertiesPatch: () => parseProperties(propertiesPatch, ["propertiesPatch"]) }),
    setMapping: () => parseMappingList(fewEntries(setMapping, ["setMapping"]), ["setMapping"]),
    removeMapping: () =>
      fewEntries(removeMapping, ["removeMapping"]).map((schemaId, index) => {
        const field = ["removeMapping", String(index)];
        if (set.has(schemaId)) throw invalidField(field, "must not be a schema of `setMapping`");
        return parseText(schemaId, field);
      }),
  });
}

/** @throws DomainError `invalid_field` */
function fewEntries<Entry>(entries: readonly Entry[] | null | undefined, field: FieldPath): readonly Entry[] {
  if (isPresent(entries) && entries.length > MAX_BULK_ENTRIES)
    throw invalidField(field, `must have at most ${MAX_BULK_ENTRIES} entries`);
  return entries ?? [];
}

/** Parses the user groups of a call; an invalid one is replaced by its error. @throws DomainError `invalid_field` if there are too many */
export function parseAll<Input, Parsed>(
  userGroups: readonly Input[],
  max: number,
  parse: (input: Input) => Parsed,
): (Parsed | DomainError)[] {
  if (userGroups.length > max) throw invalidField(["userGroups"], `must have at most ${max} user groups`);
  return userGroups.map((input) => domainErrorOr(() => parse(input)));
}
