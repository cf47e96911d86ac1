import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { DataSourceView } from "./type.js";

export const DataSourcePayload = createPayloadType<{ dataSource: DataSourceView }>(
  "DataSourcePayload",
  "The data source after a change.",
  "change",
  { dataSource: [() => DataSourceView, "The data source; null when the change failed."] },
);

export const DeleteDataSourcePayload = createPayloadType<{ deletedDataSourceId: string }>(
  "DeleteDataSourcePayload",
  "The data source that was deleted.",
  "call",
  { deletedDataSourceId: [() => ID, "The global id of the deleted data source; null when the call failed."] },
);
