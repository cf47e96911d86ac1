import { GraphQLDateTime, GraphQLSafeInt } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { createConnectionType } from "../shared/connection-type.js";
import { GetterField, NodeView } from "../shared/node.js";

@ObjectType("DataSource", {
  implements: NodeView,
  description: "A data source, to which user groups map schemas.",
  simpleResolvers: true,
})
export class DataSourceView extends NodeView {
  @Field(() => GraphQLSafeInt, { description: "The data source's internal ID." })
  readonly dataSourceId: number;

  @Field(() => String, { description: "The data source's external ID, unique within its environment." })
  readonly providedId: string;

  @Field(() => String, { description: "The data source's name." })
  readonly name: string;

  @Field(() => Int, { description: "The version, which each change increments." })
  readonly version: number;

  constructor(private readonly source: DataSource) {
    super("DataSource", source.id);
    this.dataSourceId = source.id;
    this.providedId = source.providedId;
    this.name = source.name;
    this.version = source.version;
  }

  @GetterField(() => GraphQLDateTime, { description: "The time when the data source was created." })
  get createdAt(): Date {
    return this.source.createdAt;
  }
}

export const DataSourceConnection = createConnectionType("DataSource", DataSourceView);
