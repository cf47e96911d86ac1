import type { EntityManager } from "typeorm";
import type { TenantKey, Writer } from "../../domain/accounts/caller.js";
import type {
  DataSource,
  DataSourceFilter,
  DataSourceRef,
  DataSourceSortField,
} from "../../domain/data-sources/data-source.js";
import { DomainError } from "../../domain/shared/errors.js";
import { requireVersion } from "../../domain/shared/expected-version.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { ChangePublisher } from "../../domain/user-groups/change.js";
import { DataSourceEntity, toDataSource } from "../../persistence/data-sources/entity.js";
import {
  DATA_SOURCE_LIST,
  deleteDataSource,
  findDataSourcesByProvidedIds,
  insertDataSource,
  updateDataSource,
} from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { violates } from "../../persistence/shared/database-error.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { StoredList } from "../shared/item-list.js";

/** Manages the data sources of an environment. */
export class DataSourceService {
  readonly list: StoredList<DataSource, DataSourceFilter, DataSourceSortField>;
  readonly byId: BatchLoader<number, DataSource | null>;
  readonly byProvidedId: BatchLoader<string, DataSource | null>;

  constructor(
    private readonly db: Database,
    batching: Batching,
    private readonly changes: ChangePublisher,
  ) {
    this.list = new StoredList(db, DATA_SOURCE_LIST);
    this.byId = new BatchLoader(
      "data_sources_by_id",
      async (tenant, ids) => this.list.byIds(tenant, ids),
      batching,
    );
    this.byProvidedId = new BatchLoader(
      "data_sources_by_provided_id",
      async (tenant, ids) =>
        inOrder(ids, await findDataSourcesByProvidedIds(db.for(tenant), ids), ({ providedId }) => providedId),
      batching,
    );
  }

  /** @throws DomainError `data_source_exists` when the external ID is taken */
  async create(writer: Writer, providedId: string, name: string): Promise<DataSource> {
    return refuseTaken(() =>
      this.db.for(writer).transaction((transaction) => insertDataSource(transaction, { providedId, name })),
    );
  }

  /**
   * Changes the fields that are present and differ, and notifies subscribers of the groups that map it.
   * @throws DomainError `data_source_not_found`, `data_source_exists`, `version_conflict`
   */
  async update(
    writer: Writer,
    ref: DataSourceRef,
    changes: { readonly providedId?: string; readonly name?: string },
    expectedVersion: number | undefined,
  ): Promise<DataSource> {
    const { dataSource, mappedBy } = await refuseTaken(() =>
      this.db.for(writer).transaction(async (db) => {
        const manager = db.manager("write", "data_source_update");
        const found = await lock(manager, { ...db.key, ...ref });
        requireVersion("data source", found.version, expectedVersion);
        return updateDataSource(db, found, { ...found, ...changes });
      }),
    );
    for (const id of mappedBy) this.changes.publish(writer, id, "updated");
    return dataSource;
  }

  /** @throws DomainError `data_source_not_found`, `version_conflict`; `data_source_in_use` while a mapping references it */
  async delete(writer: Writer, ref: DataSourceRef, expectedVersion: number | undefined): Promise<DataSource> {
    try {
      return await this.db.for(writer).transaction(async (db) => {
        const manager = db.manager("write", "data_source_delete");
        const found = await lock(manager, { ...db.key, ...ref });
        requireVersion("data source", found.version, expectedVersion);
        await deleteDataSource(db, found);
        return found;
      });
    } catch (error) {
      if (!violates(error, "mapping_entry_data_source_fk")) throw error;
      throw new DomainError(
        "data_source_in_use",
        "A mapping still uses this data source. Remove it from the mappings first.",
        {
          cause: error,
        },
      );
    }
  }
}

/** Reads a data source and locks it until the transaction ends. @throws DomainError `data_source_not_found` */
async function lock(
  manager: EntityManager,
  { by, ...where }: TenantKey & DataSourceRef,
): Promise<DataSource> {
  const found = await manager.findOne(DataSourceEntity, { where, lock: { mode: "pessimistic_write" } });
  if (found) return toDataSource(found);
  throw new DomainError("data_source_not_found", "No data source has this ID.");
}

async function refuseTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!violates(error, "data_source_provided_id_uq")) throw error;
    throw new DomainError("data_source_exists", "A data source with this ID already exists.", {
      field: ["providedId"],
      cause: error,
    });
  }
}
