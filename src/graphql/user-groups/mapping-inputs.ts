import { Field, InputType } from "type-graphql";
import { UserGroupBy } from "./by.js";
import { MappingInput } from "./inputs.js";

@InputType("SetMappingInput", { description: "The data source for one schema of a user group." })
export class SetMappingInput extends MappingInput {
  @Field(() => UserGroupBy, { description: "The group to change." })
  readonly by!: UserGroupBy;
}

@InputType("RemoveMappingInput", { description: "The schema to take out of a user group's mapping." })
export class RemoveMappingInput {
  @Field(() => UserGroupBy, { description: "The group to change." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The id of the schema; when it is not mapped, nothing changes." })
  readonly schemaId!: string;
}

@InputType("ReplaceMappingInput", { description: "The whole new mapping of a user group." })
export class ReplaceMappingInput {
  @Field(() => UserGroupBy, { description: "The group to change." })
  readonly by!: UserGroupBy;

  @Field(() => [MappingInput], { description: "The entries; those of before that are not among them go." })
  readonly mapping!: MappingInput[];
}
