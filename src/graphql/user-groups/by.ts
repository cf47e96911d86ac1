import { GraphQLSafeInt } from "graphql-scalars";
import { Directive, Field, ID, InputType } from "type-graphql";
import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Loaders } from "../shared/loaders.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { missingOneOfField, nullable } from "../shared/nullable.js";

@Directive("@oneOf")
@InputType("UserGroupBy", { description: "Identifies a user group by exactly one of these fields." })
export class UserGroupBy {
  @Field(() => ID, nullable("The user group's global ID."))
  readonly id?: string | null;

  @Field(() => String, nullable("The user group's external ID."))
  readonly providedId?: string | null;

  @Field(() => GraphQLSafeInt, nullable("The user group's internal ID."))
  readonly teamId?: number | null;

  @Field(() => String, nullable("The user group's token."))
  readonly token?: string | null;
}

/** @throws DomainError `invalid_field` */
export function parseUserGroupBy(
  { id, providedId, teamId, token }: UserGroupBy,
  field: FieldPath = ["by"],
): UserGroupRef {
  if (isPresent(id)) return { by: "id", id: parseNodeIdOfType("UserGroup", id) };
  if (isPresent(providedId)) {
    return { by: "providedId", providedId: parseText(providedId, [...field, "providedId"]) };
  }
  if (isPresent(teamId)) return { by: "id", id: teamId };
  if (token === "") throw invalidField([...field, "token"], "must not be empty");
  if (isPresent(token)) return { by: "token", token };
  throw missingOneOfField("UserGroupBy");
}

/** Loads a user group by reference; null if it does not exist. */
export function loadUserGroup(
  { services: { userGroupReader }, tenant }: Loaders,
  ref: UserGroupRef,
): Promise<UserGroup | null> {
  switch (ref.by) {
    case "id":
      return userGroupReader.byId.load(tenant, ref.id);
    case "providedId":
      return userGroupReader.byProvidedId.load(tenant, ref.providedId);
    case "token":
      return userGroupReader.byToken(tenant, ref.token);
  }
}
