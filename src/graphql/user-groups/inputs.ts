import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, Int } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { isPresent } from "../../domain/shared/json.js";
import { isText, parseText } from "../../domain/shared/text-field.js";
import { parseMappingList } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import type { NewUserGroup, UserGroupChanges, UserGroupRef } from "../../domain/user-groups/user-group.js";
import { parseUserGroupBy, UserGroupBy } from "./by.js";

@InputType("MappingInput", { description: "The data source for one schema." })
export class MappingInput {
  @Field(() => String, { description: "The id of the schema." })
  readonly schemaId!: string;

  @Field(() => String, { description: "Your own id of the data source, else its internal id." })
  readonly dataSource!: string;
}

@InputType()
abstract class NewUserGroupInput {
  @Field(() => String, { description: "Your own id of the group." })
  readonly providedId!: string;

  @Field(() => GraphQLJSON, { nullable: true, description: "The properties: a JSON object." })
  readonly properties?: unknown;

  @Field(() => [MappingInput], { nullable: true, description: "The mapping." })
  readonly mapping?: MappingInput[] | null;
}

/** Changeable fields of a user group; absent and null differ (decision 7). */
@InputType()
export abstract class UserGroupChangesInput {
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

@InputType("GetOrCreateUserGroupInput", {
  description: "A user group to look up, and what to create it from.",
})
export class GetOrCreateUserGroupInput extends NewUserGroupInput {
  @Field(() => String, { nullable: true, description: "The name; required only when the group is created." })
  readonly name?: string | null;
}

@InputType("CreateUserGroupInput", { description: "A new user group." })
export class CreateUserGroupInput extends NewUserGroupInput {
  @Field(() => String, { description: "The name." })
  readonly name!: string;
}

@InputType("UpdateUserGroupInput", {
  description: "Changes to a user group: fields that are absent stay as they are.",
})
export class UpdateUserGroupInput extends UserGroupChangesInput {
  @Field(() => UserGroupBy, { description: "The group to change." })
  readonly by!: UserGroupBy;

  @Field(() => String, { nullable: true, description: "The new name; null is refused." })
  readonly name?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "The version that you read: the change is refused if the group has another by now.",
  })
  readonly expectedVersion?: number | null;
}

@InputType("RotateUserGroupTokenInput", { description: "The token to replace." })
export class RotateUserGroupTokenInput {
  @Field(() => String, { description: "The group's present token." })
  readonly currentToken!: string;
}

@InputType("DeleteUserGroupInput", { description: "The user group to delete." })
export class DeleteUserGroupInput {
  @Field(() => String, { description: "The group's present token." })
  readonly currentToken!: string;

  @Field(() => String, {
    nullable: true,
    description: "Your own id of the group: if given, it must agree with the token's group.",
  })
  readonly providedId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Your own id of a data source: if given, the token's group must be mapped to it.",
  })
  readonly dataSourceProvidedId?: string | null;
}

/** Returns the external ID. @throws DomainError `invalid_field`, which also lists the other invalid fields */
export function parseProvidedId(input: GetOrCreateUserGroupInput): string {
  if (isText(input.providedId)) return input.providedId;
  const { name, ...others } = input;
  // Only new groups need a name, and without a valid ID it is unknown whether the group exists.
  const present = isPresent(name) ? { ...others, name } : others;
  return parseIdentified(input.providedId, () => parseChangedFields(present)).providedId;
}

/** @throws DomainError `invalid_field` */
export function parseNewUserGroup(input: GetOrCreateUserGroupInput | CreateUserGroupInput): NewUserGroup {
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
export function parseUpdate(input: UpdateUserGroupInput): {
  readonly ref: UserGroupRef;
  readonly changes: UserGroupChanges;
} {
  const { expectedVersion } = input;
  const { ref, fields } = parseFields({
    ref: () => parseUserGroupBy(input.by),
    fields: () => parseChangedFields(input),
  });
  return { ref, changes: { ...fields, ...(typeof expectedVersion === "number" ? { expectedVersion } : {}) } };
}

/** Parses the fields to change: absent and null differ (decision 7). @throws DomainError `invalid_field` */
export function parseChangedFields({
  name,
  properties,
  mapping,
}: Pick<UpdateUserGroupInput, "name" | "properties" | "mapping">): UserGroupChanges {
  return parseFields<UserGroupChanges>({
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
    ...(properties === undefined ? {} : { properties: () => parseProperties(properties, ["properties"]) }),
    ...(mapping === undefined ? {} : { mapping: () => parseMappingList(mapping, ["mapping"]) }),
  });
}

/**
 * Returns the token. Accepts any non-empty text, so that an unknown token is "not found" rather than "invalid".
 * @throws DomainError `invalid_field` for an empty token
 */
export function parseCurrentToken({
  currentToken,
}: RotateUserGroupTokenInput | DeleteUserGroupInput): string {
  if (currentToken === "") throw invalidField(["currentToken"], "must not be empty");
  return currentToken;
}

/** Parses the values that the token's user group must match; null means absent. @throws DomainError `invalid_field` */
export function parseExpectations({ providedId, dataSourceProvidedId }: DeleteUserGroupInput) {
  return parseFields<{ readonly providedId?: string; readonly dataSourceProvidedId?: string }>({
    ...(isPresent(providedId) ? { providedId: () => parseText(providedId, ["providedId"]) } : {}),
    ...(isPresent(dataSourceProvidedId)
      ? { dataSourceProvidedId: () => parseText(dataSourceProvidedId, ["dataSourceProvidedId"]) }
      : {}),
  });
}
