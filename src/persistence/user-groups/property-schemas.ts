import { Column, Entity } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import { CHANGED_FIELDS, differingFields } from "../../domain/audit/entry.js";
import type { SchemaMode } from "../../domain/user-groups/property-schema.js";
import { APPLICATION_NAME } from "../shared/database-options.js";
import { insertEntity } from "../shared/entity-manager.js";
import { record } from "../shared/record.js";
import type { Queryable } from "../shared/statement.js";
import { AccountKey, EnvironmentKey, TimeOfWriting } from "../shared/table.js";
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";

// Raw SQL: a condition of a statement that is written by hand, and the sessions of the server.

/** The schema for properties of an environment; no row if it never had one. */
@Entity("property_schema")
export class PropertySchemaEntity {
  @AccountKey("property_schema_pk")
  accountId!: number;

  @EnvironmentKey("property_schema_pk")
  environment!: Environment;

  /** JSON text; null if the schema was removed. */
  @Column("text", { nullable: true })
  schema!: string | null;

  @Column("text")
  mode!: SchemaMode;

  @Column("integer")
  version!: number;

  @TimeOfWriting()
  updatedAt!: Date;
}

/**
 * Returns a condition of a statement on user groups: no schema is active but one of the version in a placeholder, under which the
 * properties were checked. A NULL version fulfils it.
 */
export function schemaIs(version: string): string {
  return `(${version}::integer IS NULL OR NOT EXISTS (SELECT FROM property_schema
          WHERE account_id = $1 AND environment = $2 AND mode <> 'OFF' AND version <> ${version}::integer))`;
}

export async function findPropertySchema(db: TenantDb): Promise<PropertySchemaEntity | null> {
  return db.manager("read", "property_schema").findOneBy(PropertySchemaEntity, db.key);
}

/** Loads the environment's schema and locks it until the transaction ends. */
export async function lockPropertySchema(
  transaction: TenantTransaction,
): Promise<PropertySchemaEntity | null> {
  const manager = transaction.manager("write", "property_schema_lock");
  return manager.findOne(PropertySchemaEntity, {
    where: transaction.key,
    lock: { mode: "pessimistic_write" },
  });
}

/**
 * Stores the environment's schema, if it differs.
 * @param former locked; null if there is none
 * @throws the driver's error if another transaction has created one since
 */
export async function savePropertySchema(
  transaction: TenantTransaction,
  former: PropertySchemaEntity | null,
  fields: Pick<PropertySchemaEntity, "schema" | "mode">,
): Promise<PropertySchemaEntity | null> {
  const action = "property_schema.updated";
  const before = former ?? { schema: null, mode: "OFF" };
  const changed = differingFields(CHANGED_FIELDS[action], before, fields);
  if (changed.length === 0) return former;
  const manager = transaction.manager("write", "property_schema_save");
  const version = (former?.version ?? 0) + 1;
  const values = { ...transaction.key, ...fields, version };
  if (former) {
    const updatedAt = () => "greatest(statement_timestamp(), updated_at)";
    await manager.update(PropertySchemaEntity, transaction.key, { ...fields, version, updatedAt });
  } else {
    await insertEntity(manager, PropertySchemaEntity, values);
  }
  // An environment has one, so that its ID is a constant.
  await record(transaction, { action, subjectId: 1, subjectName: "properties", version, changed });
  return manager.findOneByOrFail(PropertySchemaEntity, transaction.key);
}

/** Returns the number of connections of this database and role that processes of a version without schemas for properties have open. */
export async function countOldConnections(db: Queryable): Promise<number> {
  const [former] = APPLICATION_NAME.split("/");
  const text = `SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = $1`;
  const [row] = await db.run<{ count: number }>({ label: "old_connections", access: "read", text }, [former]);
  return row?.count ?? 0;
}
