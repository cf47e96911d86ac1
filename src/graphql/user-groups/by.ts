import { Field, ID, InputType, Int } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { UserGroupRef } from "../../domain/user-groups/user-group.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { requireOneOf } from "../shared/one-of.js";

@InputType("UserGroupBy", { description: "Identifies a user group by exactly one of these fields." })
export class UserGroupBy {
  @Field(() => ID, nullable("The user group's global ID."))
  readonly id?: string | null;

  @Field(() => String, nullable("The user group's external ID."))
  readonly providedId?: string | null;

  @Field(() => Int, nullable("The user group's internal ID."))
  readonly teamId?: number | null;

  @Field(() => String, nullable("The user group's token."))
  readonly token?: string | null;
}

/** @throws DomainError `invalid_field` unless exactly one identifier is set */
export function parseUserGroupBy({ id, providedId, teamId, token }: UserGroupBy): UserGroupRef {
  return requireOneOf<string, UserGroupRef>(["by"], {
    id: typeof id === "string" ? { by: "id", id: parseNodeIdOfType("UserGroup", id) } : null,
    providedId:
      typeof providedId === "string"
        ? { by: "providedId", providedId: parseText(providedId, ["by", "providedId"]) }
        : null,
    teamId: typeof teamId === "number" ? { by: "id", id: teamId } : null,
    token: typeof token === "string" ? { by: "token", token } : null,
  });
}
