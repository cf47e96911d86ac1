import { Field, InputType } from "type-graphql";
import { UserGroupBy } from "./by.js";
import { MappingInput } from "./inputs.js";

@InputType("SetMappingInput", { description: "Input for `setMapping`." })
export class SetMappingInput extends MappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;
}

@InputType("RemoveMappingInput", { description: "Input for `removeMapping`." })
export class RemoveMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => String, { description: "The schema ID. If the schema is not mapped, nothing changes." })
  readonly schemaId!: string;
}

@InputType("ReplaceMappingInput", { description: "Input for `replaceMapping`." })
export class ReplaceMappingInput {
  @Field(() => UserGroupBy, { description: "The user group to update." })
  readonly by!: UserGroupBy;

  @Field(() => [MappingInput], {
    description: "The new entries. Existing entries that are not among them are removed.",
  })
  readonly mapping!: MappingInput[];
}
