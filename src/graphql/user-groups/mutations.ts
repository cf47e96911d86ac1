import { Field, ID, InputType, Int, Resolver } from "type-graphql";
import type { Caller, Writer } from "../../domain/accounts/caller.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields, parseGuard } from "../../domain/shared/field-parsing.js";
import { isPresent } from "../../domain/shared/json.js";
import { isText, parseText } from "../../domain/shared/text-field.js";
import { parseMappingEntry, parseMappingList } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import {
  type NewUserGroup,
  parseUserGroupFields,
  type UserGroupChanges,
  type UserGroupRef,
} from "../../domain/user-groups/user-group.js";
import type { GraphqlContext } from "../shared/context.js";
import { CallerMutation, WriterMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { toNodeId } from "../shared/node.js";
import { guard, nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";
import { UserGroupView } from "./type.js";

@InputType("MappingInput", { description: "Maps a schema to a data source." })
export class MappingInput {
  @Field(() => String, { description: "The schema ID." })
  readonly schemaId!: string;

  @Field(() => String, { description: "The data source's external ID or, if none matches, its internal ID." })
  readonly dataSource!: string;
}

@InputType()
abstract class NewUserGroupInput {
  @Field(() => String, { description: "The user group's external ID, unique within its environment." })
  readonly providedId!: string;

  @OptionalField(() => GraphQLJSON, "Free-form properties, as a JSON object.")
  readonly properties?: unknown;

  @OptionalField(() => [MappingInput], "The mapping of schemas to data sources.")
  readonly mapping?: MappingInput[] | null;
}

const EXPECTED_VERSION = guard(
  "The version that you last read. The update fails if the user group has another version.",
);

export const PATCH_RULES =
  "other properties keep their values, and null removes one. Null instead of an object removes all.";

/** Changeable fields of a user group; absent and null differ (decision 7). */
@InputType()
export abstract class UserGroupChangesInput {
  @OptionalField(() => GraphQLJSON, "A JSON object that replaces the properties; null removes them.")
  readonly properties?: unknown;

  @OptionalField(() => [MappingInput], "Entries that replace the mapping; null removes all entries.")
  readonly mapping?: MappingInput[] | null;
}

@InputType("GetOrCreateUserGroupInput", {
  description:
    "Input for `getOrCreateUserGroup`. Fields other than `providedId` apply only if the user group is created.",
})
class GetOrCreateUserGroupInput extends NewUserGroupInput {
  @OptionalField(() => String, "The user group's name. Required if the user group does not exist yet.")
  readonly name?: string | null;
}

@InputType("CreateUserGroupInput", { description: "Input for `createUserGroup`." })
class CreateUserGroupInput extends NewUserGroupInput {
  @Field(() => String, { description: "The user group's name." })
  readonly name!: string;
}

@InputType("UpdateUserGroupInput", {
  description: "Input for `updateUserGroup`. Omitted fields keep their values.",
})
class UpdateUserGroupInput extends UserGroupChangesInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @OptionalField(() => String, "The new name. Must not be null.")
  readonly name?: string | null;

  @OptionalField(
    () => GraphQLJSON,
    `A JSON Merge Patch (RFC 7396) of the properties, instead of \`properties\`: ${PATCH_RULES}`,
  )
  readonly propertiesPatch?: unknown;

  @Field(() => Int, EXPECTED_VERSION)
  readonly expectedVersion?: number | null;
}

@InputType("RestoreUserGroupInput", { description: "Input for `restoreUserGroup`." })
class RestoreUserGroupInput {
  @Field(() => UserGroupBy, { description: "The user group to restore." })
  readonly by!: UserGroupBy;

  @Field(() => Int, {
    description:
      "The version whose values to restore: any that the user group had, as long as the service keeps its values.",
  })
  readonly version!: number;

  @Field(() => Int, EXPECTED_VERSION)
  readonly expectedVersion?: number | null;
}

export const GRACE_SECONDS =
  "How long the old token can still be used to read, in seconds; at most `Viewer.tokenGraceSeconds`, which is the default. Only the last former token has a grace period: a rotation ends that of the token before, and 0 leaves no former token.";

@InputType("RotateUserGroupTokenInput", { description: "Input for `rotateUserGroupToken`." })
class RotateUserGroupTokenInput {
  @Field(() => UserGroupBy, {
    description:
      "The user group. By its current token, only one of several concurrent rotations succeeds; the others fail with `USER_GROUP_NOT_FOUND`.",
  })
  readonly by!: UserGroupBy;

  @OptionalField(() => Int, GRACE_SECONDS)
  readonly graceSeconds?: number | null;
}

@InputType("DeleteUserGroupInput", { description: "Input for `deleteUserGroup`." })
class DeleteUserGroupInput {
  @Field(() => UserGroupBy, { description: "The user group to delete." })
  readonly by!: UserGroupBy;

  @Field(() => String, guard("The user group's external ID. If set, the user group must have it."))
  readonly providedId?: string | null;

  @Field(
    () => String,
    guard("A data source's external ID. If set, the user group must be mapped to that data source."),
  )
  readonly dataSourceProvidedId?: string | null;
}

@InputType("SetUserGroupMappingInput", { description: "Input for `setUserGroupMapping`." })
class SetUserGroupMappingInput extends MappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;
}

@InputType("RemoveUserGroupMappingInput", { description: "Input for `removeUserGroupMapping`." })
class RemoveUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The schema ID. If the schema is not mapped, nothing changes." })
  readonly schemaId!: string;
}

@InputType("ReplaceUserGroupMappingInput", { description: "Input for `replaceUserGroupMapping`." })
class ReplaceUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => [MappingInput], {
    description: "The new entries. Existing entries that are not among them are removed.",
  })
  readonly mapping!: MappingInput[];
}

const PAYLOAD = {
  userGroup: [() => UserGroupView, nullable("The user group; null if the mutation failed.")],
} as const;

@Resolver()
export class UserGroupMutations {
  @CallerMutation(
    "Returns the user group with this external ID unchanged, or creates it. Equivalent to `GET /api/user`, for clients that cannot send a body with GET.",
    () => GetOrCreateUserGroupInput,
    {
      ...PAYLOAD,
      isNew: [
        () => Boolean,
        nullable("Indicates whether the mutation created the user group; null if it failed."),
      ],
    },
  )
  async getOrCreateUserGroup(input: GetOrCreateUserGroupInput, caller: Caller, { services }: GraphqlContext) {
    const providedId = parseProvidedId(input);
    const { userGroup, created } = await services.userGroups.getOrCreate(caller, providedId, () =>
      parseNewUserGroup(input),
    );
    return { userGroup: new UserGroupView(userGroup), isNew: created };
  }

  @WriterMutation(
    "Creates a user group. Fails if its external ID is taken.",
    () => CreateUserGroupInput,
    PAYLOAD,
  )
  async createUserGroup(input: CreateUserGroupInput, writer: Writer, { services }: GraphqlContext) {
    const { providedId, fields } = parseIdentified(input.providedId, () => parseNewUserGroup(input));
    return { userGroup: new UserGroupView(await services.userGroups.create(writer, providedId, fields)) };
  }

  @WriterMutation(
    "Updates a user group. Omitted fields keep their values.",
    () => UpdateUserGroupInput,
    PAYLOAD,
  )
  async updateUserGroup(input: UpdateUserGroupInput, writer: Writer, { services }: GraphqlContext) {
    const { ref, changes } = parseUpdate(input);
    return { userGroup: new UserGroupView(await services.userGroups.update(writer, ref, changes)) };
  }

  @WriterMutation(
    "Restores the name, properties and mapping that a user group had at a version, as a new version; changes nothing if the values are equal. The token is not changed.",
    () => RestoreUserGroupInput,
    PAYLOAD,
  )
  async restoreUserGroup(input: RestoreUserGroupInput, writer: Writer, { services }: GraphqlContext) {
    const { ref, expectedVersions } = parseFields({
      ref: () => parseUserGroupBy(input.by),
      expectedVersions: () =>
        parseGuard(["expectedVersion"], input.expectedVersion, (version) => [{ version }]),
    });
    const restored = await services.userGroups.restore(writer, ref, input.version, expectedVersions);
    return { userGroup: new UserGroupView(restored) };
  }

  @WriterMutation(
    "Rotates the token of a user group. The old token is invalidated immediately, or after the grace period if the service has one.",
    () => RotateUserGroupTokenInput,
    PAYLOAD,
  )
  async rotateUserGroupToken(input: RotateUserGroupTokenInput, writer: Writer, context: GraphqlContext) {
    const { userGroups } = context.services;
    const { ref, graceSeconds } = parseFields({
      ref: () => parseUserGroupBy(input.by),
      graceSeconds: () => parseGrace(input.graceSeconds, userGroups.tokenGraceSeconds),
    });
    const { userGroup } = await userGroups.rotateToken(writer, ref, { graceSeconds });
    return { userGroup: new UserGroupView(userGroup) };
  }

  @WriterMutation("Deletes a user group and its mapping.", () => DeleteUserGroupInput, {
    deletedUserGroupId: [
      () => ID,
      nullable("The global ID of the deleted user group; null if the mutation failed."),
    ],
  })
  async deleteUserGroup(input: DeleteUserGroupInput, writer: Writer, { services }: GraphqlContext) {
    const { ref, expected } = parseDeletion(input);
    const { id } = await services.userGroups.delete(writer, ref, expected);
    return { deletedUserGroupId: toNodeId("UserGroup", id) };
  }

  @WriterMutation(
    "Maps a schema of a user group to a data source, replacing an existing entry for the schema.",
    () => SetUserGroupMappingInput,
    PAYLOAD,
  )
  async setUserGroupMapping(input: SetUserGroupMappingInput, writer: Writer, { services }: GraphqlContext) {
    const { ref, entry } = parseFields({
      ref: () => parseUserGroupBy(input.by),
      entry: () => parseMappingEntry(input, []),
    });
    return { userGroup: new UserGroupView(await services.userGroups.setMapping(writer, ref, entry)) };
  }

  @WriterMutation("Removes a schema from a user group's mapping.", () => RemoveUserGroupMappingInput, PAYLOAD)
  async removeUserGroupMapping(input: RemoveUserGroupMappingInput, writer: Writer, context: GraphqlContext) {
    const { userGroups } = context.services;
    const { ref, schemaId } = parseFields({
      ref: () => parseUserGroupBy(input.by),
      schemaId: () => parseText(input.schemaId, ["schemaId"]),
    });
    return { userGroup: new UserGroupView(await userGroups.removeMapping(writer, ref, schemaId)) };
  }

  @WriterMutation("Replaces the entire mapping of a user group.", () => ReplaceUserGroupMappingInput, PAYLOAD)
  async replaceUserGroupMapping(
    input: ReplaceUserGroupMappingInput,
    writer: Writer,
    { services }: GraphqlContext,
  ) {
    const { ref, mapping } = parseFields({
      ref: () => parseUserGroupBy(input.by),
      mapping: () => parseMappingList(input.mapping, ["mapping"]),
    });
    return { userGroup: new UserGroupView(await services.userGroups.update(writer, ref, { mapping })) };
  }
}

/** Returns the external ID. @throws DomainError `invalid_field`, which also lists the other invalid fields */
function parseProvidedId(input: GetOrCreateUserGroupInput): string {
  if (isText(input.providedId)) return input.providedId;
  const { name, ...others } = input;
  // Only new groups need a name, and without a valid ID it is unknown whether the group exists.
  const present = isPresent(name) ? { ...others, name } : others;
  return parseIdentified(input.providedId, () => parseChangedFields(present)).providedId;
}

/** @throws DomainError `invalid_field` */
function parseNewUserGroup(input: GetOrCreateUserGroupInput | CreateUserGroupInput): NewUserGroup {
  return parseFields<NewUserGroup>({
    name: () => parseText(input.name ?? undefined, ["name"]),
    properties: () => parseProperties(input.properties ?? null, ["properties"]),
    mapping: () => parseMappingList(input.mapping ?? null, ["mapping"]),
  });
}

/** Parses an external ID and other fields together, so that all invalid ones are reported. @throws DomainError `invalid_field` */
export function parseIdentified<Fields>(
  providedId: string,
  parse: () => Fields,
): { readonly providedId: string; readonly fields: Fields } {
  return parseFields<{ readonly providedId: string; readonly fields: Fields }>({
    providedId: () => parseText(providedId, ["providedId"]),
    fields: parse,
  });
}

/** @throws DomainError `invalid_field` */
function parseUpdate(input: UpdateUserGroupInput): {
  readonly ref: UserGroupRef;
  readonly changes: UserGroupChanges;
} {
  const { ref, fields, ...others } = parseFields({
    ref: () => parseUserGroupBy(input.by),
    fields: () => parseChangedFields(input),
    propertiesPatch: () => parsePropertiesPatch(input),
    expectedVersions: () =>
      parseGuard(["expectedVersion"], input.expectedVersion, (version) => [{ version }]),
  });
  return { ref, changes: { ...fields, ...others } };
}

/** @throws DomainError `invalid_field` */
function parsePropertiesPatch({ properties, propertiesPatch }: UpdateUserGroupInput) {
  const field = ["propertiesPatch"];
  if (propertiesPatch !== undefined && properties !== undefined)
    throw invalidField(field, "must not be sent together with `properties`");
  return propertiesPatch === undefined ? undefined : parseProperties(propertiesPatch, field);
}

/** Parses the fields to change: absent and null differ (decision 7). @throws DomainError `invalid_field` */
export function parseChangedFields({
  name,
  properties,
  mapping,
}: Pick<UpdateUserGroupInput, "name" | "properties" | "mapping">): UserGroupChanges {
  const { fields, ...others } = parseFields<
    Pick<UserGroupChanges, "mapping"> & { readonly fields: UserGroupChanges }
  >({
    fields: () => parseUserGroupFields({ name, properties }),
    ...(mapping === undefined ? {} : { mapping: () => parseMappingList(mapping, ["mapping"]) }),
  });
  return { ...fields, ...others };
}

/** @throws DomainError `invalid_field` */
export function parseGrace(seconds: number | null | undefined, maxSeconds: number): number {
  if (!isPresent(seconds)) return maxSeconds;
  if (seconds >= 0 && seconds <= maxSeconds) return seconds;
  throw invalidField(["graceSeconds"], `must be from 0 to ${maxSeconds}, the service's grace period`);
}

/** Parses the user group to delete, and the values that it must have. @throws DomainError `invalid_field` */
function parseDeletion({ by, providedId, dataSourceProvidedId }: DeleteUserGroupInput) {
  const { ref, ...expected } = parseFields({
    ref: () => parseUserGroupBy(by),
    providedId: () => parseGuard(["providedId"], providedId, parseText),
    dataSourceProvidedId: () => parseGuard(["dataSourceProvidedId"], dataSourceProvidedId, parseText),
  });
  return { ref, expected };
}
