import { Field, ObjectType } from "type-graphql";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { DataSourceView } from "../data-sources/type.js";

@ObjectType("MappingEntry", {
  description: "An entry of a user group's mapping.",
  simpleResolvers: true,
})
export class MappingEntryView {
  @Field(() => String, { description: "The schema ID." })
  readonly schemaId: string;

  @Field(() => DataSourceView, { description: "The data source that the schema is mapped to." })
  readonly dataSource: DataSourceView;

  constructor({ schemaId, dataSource }: MappedDataSource) {
    this.schemaId = schemaId;
    this.dataSource = new DataSourceView(dataSource);
  }
}
