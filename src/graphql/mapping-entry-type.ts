import { Field, ObjectType } from "type-graphql";
import type { MappingEntry } from "../domain/mapping.js";

@ObjectType("MappingEntry", { description: "The data source that a group's viewers see for one schema." })
export class MappingEntryView {
  @Field(() => String, { description: "The id of the schema." })
  readonly schemaId: string;

  /** Not a field: what the resolver of `dataSource` needs. */
  readonly dataSourceId: number;

  constructor(entry: MappingEntry) {
    this.schemaId = entry.schemaId;
    this.dataSourceId = entry.dataSourceId;
  }
}
