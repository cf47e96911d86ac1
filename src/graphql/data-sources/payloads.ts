import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { DataSourceView } from "./type.js";

export const DataSourcePayload = createPayloadType<{ dataSource: DataSourceView }>(
  "DataSourcePayload",
  "The result of creating or updating a data source.",
  { dataSource: [() => DataSourceView, "The data source; null if the mutation failed."] },
);

export const DeleteDataSourcePayload = createPayloadType<{ deletedDataSourceId: string }>(
  "DeleteDataSourcePayload",
  "The result of `deleteDataSource`.",
  {
    deletedDataSourceId: [() => ID, "The global ID of the deleted data source; null if the mutation failed."],
  },
);
