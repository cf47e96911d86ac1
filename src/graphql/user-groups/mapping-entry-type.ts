import { Field, ObjectType } from "type-graphql";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { DataSourceView } from "../data-sources/type.js";

@ObjectType("MappingEntry", {
  description: "The data source that a group's viewers see for one schema.",
  simpleResolvers: true,
})
export class MappingEntryView {
  @Field(() => String, { description: "The id of the schema." })
  readonly schemaId: string;

  @Field(() => DataSourceView, { description: "The data source that the schema leads to." })
  readonly dataSource: DataSourceView;

  constructor({ schemaId, dataSource }: MappedDataSource) {
    this.schemaId = schemaId;
    this.dataSource = new DataSourceView(dataSource);
  }
}
