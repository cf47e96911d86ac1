import type { ApiKey } from "../domain/api-key.js";
import type { DataSource } from "../domain/data-source.js";
import type { UserGroup } from "../domain/user-group.js";
import { ApiKeyView } from "./api-key-types.js";
import { createConnectionType } from "./connection-type.js";
import { DataSourceView } from "./data-source-type.js";
import { UserGroupView } from "./user-group-type.js";

export const ApiKeyConnection = createConnectionType(
  "ApiKey",
  ApiKeyView,
  (key: ApiKey) => new ApiKeyView(key),
);

export const UserGroupConnection = createConnectionType(
  "UserGroup",
  UserGroupView,
  (group: UserGroup) => new UserGroupView(group),
);

export const DataSourceConnection = createConnectionType(
  "DataSource",
  DataSourceView,
  (source: DataSource) => new DataSourceView(source),
);
