import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { DataSourceView } from "./type.js";

interface DataSourceValues {
  readonly dataSource: DataSourceView;
}

const DATA_SOURCE = [() => DataSourceView, "The data source; null if the mutation failed."] as const;

export const CreateDataSourcePayload = createPayloadType<DataSourceValues>("createDataSource", {
  dataSource: DATA_SOURCE,
});

export const UpdateDataSourcePayload = createPayloadType<DataSourceValues>("updateDataSource", {
  dataSource: DATA_SOURCE,
});

export const DeleteDataSourcePayload = createPayloadType<{ readonly deletedDataSourceId: string }>(
  "deleteDataSource",
  {
    deletedDataSourceId: [() => ID, "The global ID of the deleted data source; null if the mutation failed."],
  },
);
