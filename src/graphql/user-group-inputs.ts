import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, Int } from "type-graphql";
import { parseMappingList } from "../domain/mapping.js";
import { parseProperties } from "../domain/properties.js";
import { parseText } from "../domain/text-field.js";
import type { NewUserGroup, UserGroupChanges } from "../domain/user-group.js";
import { UserGroupBy } from "./user-group-by.js";

@InputType("MappingInput", { description: "The data source for one schema." })
export class MappingInput {
  @Field(() => String, { description: "The id of the schema." })
  readonly schemaId!: string;

  @Field(() => String, { description: "Your own id of the data source, else its internal id." })
  readonly dataSource!: string;
}

@InputType("GetOrCreateUserGroupInput", {
  description: "A user group to look up, and what to create it from.",
})
export class GetOrCreateUserGroupInput {
  @Field(() => String, { description: "Your own id of the group." })
  readonly providedId!: string;

  @Field(() => String, { nullable: true, description: "The name; required only when the group is created." })
  readonly name?: string | null;

  @Field(() => GraphQLJSON, { nullable: true, description: "The properties: a JSON object." })
  readonly properties?: unknown;

  @Field(() => [MappingInput], { nullable: true, description: "The mapping." })
  readonly mapping?: MappingInput[] | null;
}

@InputType("CreateUserGroupInput", { description: "A new user group." })
export class CreateUserGroupInput {
  @Field(() => String, { description: "Your own id of the group." })
  readonly providedId!: string;

  @Field(() => String, { description: "The name." })
  readonly name!: string;

  @Field(() => GraphQLJSON, { nullable: true, description: "The properties: a JSON object." })
  readonly properties?: unknown;

  @Field(() => [MappingInput], { nullable: true, description: "The mapping." })
  readonly mapping?: MappingInput[] | null;
}

@InputType("UpdateUserGroupInput", {
  description: "Changes to a user group: fields that are absent stay as they are.",
})
export class UpdateUserGroupInput {
  @Field(() => UserGroupBy, { description: "The group to change." })
  readonly by!: UserGroupBy;

  @Field(() => String, { nullable: true, description: "The new name; null is refused." })
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

/** What a group is created from. @throws DomainError `invalid_field` */
export function parseNewUserGroup(input: GetOrCreateUserGroupInput | CreateUserGroupInput): NewUserGroup {
  return {
    name: parseText(input.name ?? undefined, ["name"]),
    properties: parseProperties(input.properties ?? null, ["properties"]),
    mapping: parseMappingList(input.mapping ?? null, ["mapping"]),
  };
}

/** What an update changes. @throws DomainError `invalid_field` */
export function parseChanges(input: UpdateUserGroupInput): UserGroupChanges {
  const { expectedVersion } = input;
  return {
    ...parseChangedFields(input),
    ...(typeof expectedVersion === "number" ? { expectedVersion } : {}),
  };
}

/** The fields of a group that are to change: absent and null differ (decision 7). @throws DomainError `invalid_field` */
export function parseChangedFields({
  name,
  properties,
  mapping,
}: Pick<UpdateUserGroupInput, "name" | "properties" | "mapping">): UserGroupChanges {
  return {
    ...(name === undefined ? {} : { name: parseText(name, ["name"]) }),
    ...(properties === undefined ? {} : { properties: parseProperties(properties, ["properties"]) }),
    ...(mapping === undefined ? {} : { mapping: parseMappingList(mapping, ["mapping"]) }),
  };
}

/** What must agree with the group that a token names; null counts as not told. @throws DomainError `invalid_field` */
export function parseExpectations({ providedId, dataSourceProvidedId }: DeleteUserGroupInput) {
  return {
    ...(typeof providedId === "string" ? { providedId: parseText(providedId, ["providedId"]) } : {}),
    ...(typeof dataSourceProvidedId === "string"
      ? { dataSourceProvidedId: parseText(dataSourceProvidedId, ["dataSourceProvidedId"]) }
      : {}),
  };
}
