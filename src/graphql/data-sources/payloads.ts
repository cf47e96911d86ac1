import { Field, ID, ObjectType } from "type-graphql";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { toNodeId } from "../shared/node-id.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { DataSourceView } from "./type.js";

@ObjectType("DataSourcePayload", { description: "The data source after a change." })
export class DataSourcePayload {
  @Field(() => DataSourceView, {
    nullable: true,
    description: "The data source; null when the change failed.",
  })
  readonly dataSource: DataSourceView | null;

  @Field(() => [UserErrorView], { description: "Why the change failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  constructor(dataSource: DataSource | null, userErrors: UserErrorView[] = []) {
    this.dataSource = dataSource && new DataSourceView(dataSource);
    this.userErrors = userErrors;
  }
}

@ObjectType("DeleteDataSourcePayload", { description: "The data source that was deleted." })
export class DeleteDataSourcePayload {
  @Field(() => ID, {
    nullable: true,
    description: "The global id of the deleted data source; null when the call failed.",
  })
  readonly deletedDataSourceId: string | null;

  @Field(() => [UserErrorView], { description: "Why the call failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  constructor(dataSource: DataSource | null, userErrors: UserErrorView[] = []) {
    this.deletedDataSourceId = dataSource && toNodeId("DataSource", dataSource.id);
    this.userErrors = userErrors;
  }
}
