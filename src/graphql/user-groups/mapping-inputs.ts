import { Field, InputType } from "type-graphql";
import { UserGroupBy } from "./by.js";
import { MappingInput } from "./inputs.js";

@InputType("SetUserGroupMappingInput", { description: "Input for `setUserGroupMapping`." })
export class SetUserGroupMappingInput extends MappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;
}

@InputType("RemoveUserGroupMappingInput", { description: "Input for `removeUserGroupMapping`." })
export class RemoveUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The schema ID. If the schema is not mapped, nothing changes." })
  readonly schemaId!: string;
}

@InputType("ReplaceUserGroupMappingInput", { description: "Input for `replaceUserGroupMapping`." })
export class ReplaceUserGroupMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => [MappingInput], {
    description: "The new entries. Existing entries that are not among them are removed.",
  })
  readonly mapping!: MappingInput[];
}
