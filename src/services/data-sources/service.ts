import type { Tenant, Writer } from "../../domain/accounts/caller.js";
import type { DataSource, DataSourceRef } from "../../domain/data-sources/data-source.js";
import { DomainError } from "../../domain/shared/errors.js";
import { DataSourceEntity, toDataSource } from "../../persistence/data-sources/entity.js";
import {
  findDataSourcesByIds,
  findDataSourcesByProvidedIds,
} from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { violates } from "../../persistence/shared/database-error.js";
import { type Collecting, type Collector, collectLookups } from "../shared/collector.js";

/** Manages the data sources of an environment. */
export class DataSourceService {
  readonly #db: Database;

  readonly #byId: Collector<number, DataSource | null>;
  readonly #byProvidedId: Collector<string, DataSource | null>;

  constructor(db: Database, collecting: Collecting) {
    this.#db = db;
    this.#byId = collectLookups(
      "data_sources_by_id",
      async (tenant, ids) => findDataSourcesByIds(db.for(tenant), ids),
      ({ id }) => id,
      collecting,
    );
    this.#byProvidedId = collectLookups(
      "data_sources_by_provided_id",
      async (tenant, ids) => findDataSourcesByProvidedIds(db.for(tenant), ids),
      ({ providedId }) => providedId,
      collecting,
    );
  }

  /** @returns a data source or null for each id, in the same order */
  async byIds(tenant: Tenant, ids: readonly number[]): Promise<readonly (DataSource | null)[]> {
    return this.#byId.load(tenant, ids);
  }

  /** @returns a data source or null for each provided id, in the same order */
  async byProvidedIds(
    tenant: Tenant,
    providedIds: readonly string[],
  ): Promise<readonly (DataSource | null)[]> {
    return this.#byProvidedId.load(tenant, providedIds);
  }

  /** @throws DomainError `data_source_exists` when the provided id is taken */
  async create(writer: Writer, providedId: string, name: string): Promise<DataSource> {
    return refuseTaken(() =>
      this.#db.entities(writer, async (manager) => {
        const row = { ...keyOf(writer), providedId, name };
        const { generatedMaps } = await manager.insert(DataSourceEntity, row);
        return toDataSource(manager.create(DataSourceEntity, { ...row, ...generatedMaps[0] }));
      }),
    );
  }

  /** Changes the fields that are present and differ. @throws DomainError `data_source_not_found`, `data_source_exists` */
  async update(
    writer: Writer,
    ref: DataSourceRef,
    changes: { readonly providedId?: string; readonly name?: string },
  ): Promise<DataSource> {
    return refuseTaken(() =>
      this.#db.entities(writer, async (manager) => {
        const where = condition(writer, ref);
        const found = requireDataSource(
          await manager.findOne(DataSourceEntity, { where, lock: { mode: "pessimistic_write" } }),
        );
        const { providedId = found.providedId, name = found.name } = changes;
        // Decision 12a: the audit log's trigger would record any UPDATE.
        if (providedId === found.providedId && name === found.name) return found;
        await manager.update(DataSourceEntity, { ...keyOf(writer), id: found.id }, changes);
        return { ...found, ...changes };
      }),
    );
  }

  /** @throws DomainError `data_source_not_found`; `data_source_in_use` while a mapping leads to it */
  async delete(writer: Writer, ref: DataSourceRef): Promise<DataSource> {
    try {
      return await this.#db.entities(writer, async (manager) => {
        const where = condition(writer, ref);
        const found = requireDataSource(
          await manager.findOne(DataSourceEntity, { where, lock: { mode: "pessimistic_write" } }),
        );
        await manager.delete(DataSourceEntity, { ...keyOf(writer), id: found.id });
        return found;
      });
    } catch (error) {
      if (!violates(error, "mapping_entry_data_source_fk")) throw error;
      throw new DomainError("data_source_in_use", "A mapping still leads to this data source.", {
        cause: error,
      });
    }
  }
}

function condition(tenant: Tenant, ref: DataSourceRef) {
  const key = keyOf(tenant);
  return ref.by === "id" ? { ...key, id: ref.id } : { ...key, providedId: ref.providedId };
}

/** The columns that place a data source in an environment of an account. */
function keyOf({ accountId, environment }: Tenant) {
  return { accountId, environment };
}

function requireDataSource(entity: DataSourceEntity | null): DataSource {
  if (!entity) throw new DomainError("data_source_not_found", "The environment has no such data source.");
  return toDataSource(entity);
}

async function refuseTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!violates(error, "data_source_provided_id_uq")) throw error;
    throw new DomainError("data_source_exists", "A data source with this id exists already.", {
      field: ["providedId"],
      cause: error,
    });
  }
}
