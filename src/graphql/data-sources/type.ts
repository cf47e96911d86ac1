import { GraphQLDateTime } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { createConnectionType } from "../shared/connection-type.js";
import { NodeView } from "../shared/node-type.js";

@ObjectType("DataSource", {
  implements: NodeView,
  description: "A data source of the environment; user groups are mapped to it.",
  simpleResolvers: true,
})
export class DataSourceView extends NodeView {
  @Field(() => Int, { description: "The internal id." })
  readonly dataSourceId: number;

  @Field(() => String, { description: "Your own id of the data source, unique in the environment." })
  readonly providedId: string;

  @Field(() => String, { description: "The name of the data source." })
  readonly name: string;

  @Field(() => GraphQLDateTime, { description: "When the data source was created." })
  readonly createdAt: Date;

  constructor(source: DataSource) {
    super("DataSource", source.id);
    this.dataSourceId = source.id;
    this.providedId = source.providedId;
    this.name = source.name;
    this.createdAt = source.createdAt;
  }
}

export const DataSourceConnection = createConnectionType(
  "DataSource",
  DataSourceView,
  (source: DataSource) => new DataSourceView(source),
);
