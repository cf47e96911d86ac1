import { escapeIdentifier } from "pg";
import type { Queryable } from "../shared/statement.js";
import { hasCitus } from "./citus.js";
import type { Database } from "./database.js";

// Raw SQL: roles and privileges.

/** Privileges of the application role by table: only those that the service uses. */
const PRIVILEGES: Readonly<Record<string, string>> = {
  account: "SELECT, INSERT, UPDATE (token_key_id)",
  api_key: "SELECT, INSERT, UPDATE, DELETE",
  data_source: "SELECT, INSERT, UPDATE, DELETE",
  user_group: "SELECT, INSERT, UPDATE, DELETE",
  mapping_entry: "SELECT, INSERT, UPDATE, DELETE",
  user_group_history: "SELECT, INSERT, DELETE",
  brought_token: "SELECT, INSERT, UPDATE, DELETE",
  site_config: "SELECT, INSERT, UPDATE",
  site_config_revision: "SELECT, INSERT, DELETE",
  audit_entry: "SELECT, INSERT, UPDATE (subject_name), DELETE",
  embed_session_count: "SELECT, INSERT, UPDATE (count), DELETE",
  request_count: "SELECT, INSERT, UPDATE (calls, errors), DELETE",
  usage_day:
    "SELECT, INSERT, UPDATE (changes, added, embed_sessions, counted_until, user_groups, sessions_until), DELETE",
  webhook_endpoint: "SELECT, INSERT, UPDATE, DELETE",
  webhook_delivery: "SELECT, INSERT, UPDATE, DELETE",
  idempotent_request: "SELECT, INSERT, UPDATE, DELETE",
  signing_key: "SELECT, INSERT, UPDATE, DELETE",
  session_template: "SELECT, INSERT, UPDATE, DELETE",
  template_signing_key: "SELECT, INSERT, UPDATE, DELETE",
  bulk_change: "SELECT, INSERT, UPDATE, DELETE",
  property_schema: "SELECT, INSERT, UPDATE, DELETE",
  ended_console_session: "SELECT, INSERT, UPDATE, DELETE",
  schema_migration: "SELECT",
};

/** Sequences of the IDs that the service inserts. */
const SEQUENCES = [
  "user_group_team_id",
  "api_key_id_seq",
  "data_source_id_seq",
  "site_config_id_seq",
  "audit_entry_id_seq",
  "webhook_endpoint_id_seq",
  "webhook_delivery_id_seq",
  "session_template_id_seq",
  "bulk_change_id_seq",
];

/** A role of the database. */
interface Role {
  readonly name: string;
  readonly isSuperuser: boolean;
  readonly bypasses: boolean;
}

export async function currentRole(db: Queryable): Promise<Role> {
  const text = `SELECT rolname AS name, rolsuper AS "isSuperuser", rolbypassrls AS bypasses
    FROM pg_roles WHERE rolname = current_user`;
  const [role] = await db.run<Role>({ access: "read", text }, []);
  if (!role) throw new Error("PostgreSQL did not return the current role.");
  return role;
}

/**
 * Grants the application role its table privileges and nothing else.
 * @param owner connected as the owner role
 */
export async function grantRuntimeRole(owner: Database, role: string): Promise<void> {
  const name = escapeIdentifier(role);
  const privileges = { ...PRIVILEGES };
  // Citus locks a reference table for an insert, for which it requires this privilege.
  if (await hasCitus(owner.orm)) privileges["account"] = "SELECT, INSERT, UPDATE";
  const tables = Object.entries(privileges).map(
    ([table, granted]) => `REVOKE ALL ON ${table} FROM ${name}; GRANT ${granted} ON ${table} TO ${name};`,
  );
  await owner.run(
    {
      access: "write",
      text: `BEGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO ${name}; ${tables.join(" ")}
        GRANT USAGE ON SEQUENCE ${SEQUENCES.join(", ")} TO ${name};
        GRANT EXECUTE ON FUNCTION analyze_imported() TO ${name}; COMMIT`,
    },
    [],
  );
}

/** Returns why row-level security does not apply to a role; null when it applies. */
export function rowSecurityBypass({ name, isSuperuser, bypasses }: Role): string | null {
  if (isSuperuser) return `the role ${name} is a superuser`;
  return bypasses ? `the role ${name} has BYPASSRLS` : null;
}
