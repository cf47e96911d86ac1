import { tenantRows } from "../shared/purge-queries.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { eachField } from "../shared/user-group-fields.js";

// Raw SQL: the database renders the rows as JSON, with properties and texts as stored.

/** A table of an account export: columns without secrets and their hashes. */
interface ExportedTable {
  readonly table: string;
  readonly columns: string;
  /** Columns of the primary key after the tenant, with their types; by default the ID. */
  readonly key?: readonly (readonly [column: string, type: string])[];
  /** Rows per statement, by default 1,000: those of tables with large columns have to fit into memory. */
  readonly pageSize?: number;
}

const GROUP_FIELDS = eachField(({ column }) => column);

const TABLES: Readonly<Record<string, ExportedTable>> = {
  "api-keys": {
    table: "api_key",
    columns: "environment, id, scope, name, hint, created_at, expires_at, revoked_at, last_used_at",
  },
  "data-sources": {
    table: "data_source",
    columns: "environment, id, provided_id, name, version, created_at",
  },
  "user-groups": {
    table: "user_group",
    columns: `environment, id, provided_id, ${GROUP_FIELDS}, version, created_at, updated_at`,
    pageSize: 200,
  },
  "user-group-history": {
    table: "user_group_history",
    columns: `environment, user_group_id, version, ${GROUP_FIELDS}, mapping_version, mapping, replaced_at, replaced_by, bulk_change_id`,
    key: [
      ["user_group_id", "bigint"],
      ["version", "integer"],
    ],
    pageSize: 200,
  },
  mappings: {
    table: "mapping_entry",
    columns: "environment, user_group_id, schema_id, data_source_id",
    key: [
      ["user_group_id", "bigint"],
      ["schema_id", "text"],
    ],
  },
  "embed-session-counts": {
    table: "embed_session_count",
    columns: "environment, user_group_id, day, api_key_id, count",
    key: [
      ["user_group_id", "bigint"],
      ["day", "date"],
      ["api_key_id", "bigint"],
    ],
  },
  "request-counts": {
    table: "request_count",
    columns: "environment, day, calls, errors",
    key: [["day", "date"]],
  },
  "site-configs": {
    table: "site_config",
    columns: "environment, id, site, public_from, revision, created_at, updated_at, deleted_at",
  },
  "site-config-revisions": {
    table: "site_config_revision",
    columns: "environment, site_config_id, revision, text, author, author_key_id, restored_from, created_at",
    key: [
      ["site_config_id", "bigint"],
      ["revision", "integer"],
    ],
    pageSize: 10,
  },
  "webhook-endpoints": {
    table: "webhook_endpoint",
    columns:
      "environment, id, name, url, events, edit_version, disabled_at, disabled_reason, deleted_at, last_success_at, last_failure_at, last_error, created_at",
  },
  "webhook-deliveries": {
    table: "webhook_delivery",
    columns:
      "environment, id, endpoint_id, event_id, event, subject, payload, state, attempts, last_status, last_error, created_at, delivered_at",
  },
  "audit-log": {
    table: "audit_entry",
    columns:
      "environment, id, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id, created_at, session_id, bulk_change_id",
  },
  "property-schemas": {
    table: "property_schema",
    columns: "environment, schema, mode, version, updated_at",
    key: [["environment", "environment"]],
  },
  "session-templates": {
    table: "session_template",
    columns:
      "environment, id, name, description, algorithm, header, claims, lifetime_seconds, url, version, created_at, updated_at",
  },
  "bulk-changes": {
    table: "bulk_change",
    columns:
      "environment, id, change_id, undo_of, changed, author_name, changed_count, created_at, updated_at",
  },
};

/** Names of the exported tables. */
export const EXPORTED_TABLES = Object.keys(TABLES);

interface ExportedRow {
  readonly key: readonly string[];
  /** The row as one line of JSON. */
  readonly line: string;
}

/** Reads the tenant's rows of a table page by page, each row as one line of JSON. */
export async function* exportRows(db: TenantDb, name: string): AsyncGenerator<readonly string[]> {
  const exported = TABLES[name];
  if (!exported) throw new Error(`There is no exported table ${name}.`);
  const { pageSize = 1000 } = exported;
  for (let after: readonly string[] | undefined = []; after; ) {
    const text = pageOf(exported, pageSize, after.length > 0);
    const statement = { label: `export_${exported.table}`, access: "read", text } as const;
    const rows: readonly ExportedRow[] = await db.run<ExportedRow>(statement, after);
    if (rows.length > 0) yield rows.map(({ line }) => line);
    after = rows.length < pageSize ? undefined : rows.at(-1)?.key;
  }
}

function pageOf(exported: ExportedTable, pageSize: number, isAfter: boolean): string {
  const { table, columns, key = [["id", "bigint"]] } = exported;
  const order = key.map(([column]) => column).join(", ");
  const start = key.map(([, type], index) => `$${index + 3}::${type}`).join(", ");
  // Line breaks in JSON are white space between its tokens: in strings, they are escaped.
  return `SELECT ARRAY[${key.map(([column]) => `${column}::text`).join(", ")}] AS key,
      translate(row_to_json(page)::text, E'\\n\\r', '  ') AS line
    FROM (
      SELECT ${columns} FROM ${table} WHERE ${tenantRows(table)}
      ${isAfter ? `AND (${order}) > (${start})` : ""} ORDER BY ${order} LIMIT ${pageSize}
    ) AS page ORDER BY ${order}`;
}
