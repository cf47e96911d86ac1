import type { Connection } from "./connection.js";
import {
  CreateDataSourceDocument,
  type CreateDataSourceInput,
  type DataSourceBy,
  DataSourceDocument,
  type DataSourceFieldsFragment,
  type DataSourceFilter,
  type DataSourceOrder,
  DataSourcesDocument,
  DeleteDataSourceDocument,
  UpdateDataSourceDocument,
  type UpdateDataSourceInput,
} from "./generated/operations.js";
import { requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions, DeletionOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";

/** Data sources of the API key's environment. */
export type DataSource = DataSourceFieldsFragment;

/** Filter and order of a list of data sources. */
export interface DataSourceListOptions extends ListOptions {
  readonly filter?: DataSourceFilter | undefined;
  readonly orderBy?: DataSourceOrder | undefined;
}

export class DataSources {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @returns null if it does not exist */
  async get(by: DataSourceBy, options?: CallOptions): Promise<DataSource | null> {
    return this.#connection.run(DataSourceDocument, { by }, options, (data) => data.dataSource);
  }

  /** Iterates over all matching data sources, page by page. */
  list(options: DataSourceListOptions = {}): AsyncGenerator<DataSource, void, undefined> {
    const { filter, orderBy, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) => {
      const variables = { first, after, filter, orderBy };
      return this.#connection.run(DataSourcesDocument, variables, call, (data) => data.dataSources);
    };
    return paginate(read, pageSize);
  }

  /** @throws ConflictError if the external ID is taken */
  async create(input: CreateDataSourceInput, options?: CallOptions): Promise<DataSource> {
    return this.#connection.mutate(CreateDataSourceDocument, { input }, options, (data, response) =>
      requireValue(data.createDataSource, "dataSource", response),
    );
  }

  /** Updates the given fields. @throws NotFoundError; ConflictError if the external ID is taken, or the version is not `expectedVersion` */
  async update(input: UpdateDataSourceInput, options?: CallOptions): Promise<DataSource> {
    return this.#connection.mutate(UpdateDataSourceDocument, { input }, options, (data, response) =>
      requireValue(data.updateDataSource, "dataSource", response),
    );
  }

  /** @throws NotFoundError; ConflictError while a mapping uses it, or if the version is not `expectedVersion` */
  async delete(by: DataSourceBy, options: DeletionOptions = {}): Promise<void> {
    const { expectedVersion, ...call } = options;
    const input = { by, expectedVersion };
    return this.#connection.mutate(DeleteDataSourceDocument, { input }, call, (data, response) =>
      requireSuccess(data.deleteDataSource.userErrors, response),
    );
  }
}
