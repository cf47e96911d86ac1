import { escapeIdentifier } from "pg";
import type { QueryRunner } from "typeorm";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { hasCitus } from "./citus.js";
import type { Database } from "./database.js";

// Raw SQL: functions of Citus.

/** Tables with an account_id, each before those that reference it. */
const DISTRIBUTED = [
  "user_group",
  "data_source",
  "mapping_entry",
  "user_group_history",
  "brought_token",
  "embed_session_count",
  "request_count",
  "usage_day",
  "api_key",
  "site_config",
  "site_config_revision",
  "audit_entry",
  "webhook_endpoint",
  "webhook_delivery",
  "idempotent_request",
  "session_template",
  "template_signing_key",
  "bulk_change",
  "property_schema",
] as const;

const USER_GROUP = "user_group(account_id, environment, id) ON DELETE CASCADE";

/** Foreign keys between these tables: Citus refuses them while only one of the two tables is distributed. */
export const FOREIGN_KEYS = [
  foreignKey("mapping_entry", "user_group_id", USER_GROUP),
  foreignKey("mapping_entry", "data_source_id", "data_source(account_id, environment, id)"),
  foreignKey("user_group_history", "user_group_id", USER_GROUP),
  foreignKey("brought_token", "user_group_id", USER_GROUP),
  foreignKey("embed_session_count", "user_group_id", USER_GROUP),
  foreignKey("site_config_revision", "site_config_id", "site_config(account_id, environment, id)"),
  foreignKey(
    "webhook_delivery",
    "endpoint_id",
    "webhook_endpoint(account_id, environment, id) ON DELETE CASCADE",
  ),
];

function foreignKey(table: string, column: string, references: string) {
  const definition = `FOREIGN KEY (account_id, environment, ${column}) REFERENCES ${references}`;
  return { table, name: `${table}_${column.replace(/_id$/, "")}_fk`, definition };
}

/** A step of the distribution; its statements are one transaction. */
export interface DistributionStep {
  readonly statements: readonly string[];
  /** The table whose rows must be the same in number before and after the step. */
  readonly moved?: string;
}

export interface TableDistribution {
  readonly table: string;
  /** `local` for a table of the coordinator. */
  readonly type: "reference" | "distributed" | "local";
  /** 0 for a local table. */
  readonly shards: number;
}

/** Lists how each table is stored. @throws OperatorError without the extension `citus` */
export async function distributionStatus(database: Database): Promise<TableDistribution[]> {
  await requireCitus(database);
  return withRunner(database, readStatus);
}

/**
 * Returns the steps that remain until `account` is a reference table and all tables with an account_id are distributed by it, colocated.
 * @param shards number of shards; that of the distributed tables, if there are any
 * @throws OperatorError without the extension `citus`, without workers, or for another number of shards than that of distributed tables
 */
export async function planDistribution(database: Database, shards: number): Promise<DistributionStep[]> {
  await requireCitus(database);
  return withRunner(database, async (runner) => {
    const status = await readStatus(runner);
    const [{ workers }] = await runner.query(
      "SELECT count(*)::integer AS workers FROM pg_dist_node WHERE isactive AND noderole = 'primary' AND groupid > 0",
    );
    if (workers === 0)
      throw new OperatorError("Citus has no worker. Add one with `SELECT citus_add_node(…)`.");
    const done = status.filter(({ type }) => type === "distributed");
    const [first] = done;
    if (first !== undefined && first.shards !== shards) {
      throw new OperatorError(`The tables have ${first.shards} shards. Use --shards ${first.shards}.`);
    }
    const typeOf = new Map(status.map(({ table, type }) => [table, type]));
    const pending = DISTRIBUTED.filter((table) => typeOf.get(table) === "local");
    const steps: DistributionStep[] = [];
    if (!(await propagatesSettings(runner))) steps.push(await propagateSettings(runner));
    if (typeOf.get("account") === "local" || pending.length > 0) steps.push(...(await release(runner)));
    if (typeOf.get("account") === "local") {
      steps.push(moveRows("account", "SELECT create_reference_table('account')"));
    }
    for (const table of pending) {
      const location =
        table === DISTRIBUTED[0] ? `shard_count => ${shards}` : `colocate_with => '${DISTRIBUTED[0]}'`;
      steps.push(moveRows(table, `SELECT create_distributed_table('${table}', 'account_id', ${location})`));
    }
    const present = pending.length > 0 ? new Set() : await constraints(runner);
    for (const { table, name, definition } of FOREIGN_KEYS) {
      if (present.has(name)) continue;
      const [, referenced = table] = /REFERENCES (\w+)/.exec(definition) ?? [];
      const statement = `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`;
      steps.push({ statements: withoutRowSecurity([table, referenced], statement) });
    }
    return steps;
  });
}

/** Runs one step. @throws OperatorError when rows would be lost; the step is then rolled back */
export async function runDistributionStep(
  database: Database,
  { statements, moved }: DistributionStep,
): Promise<void> {
  await withRunner(database, async (runner) => {
    await runner.startTransaction();
    try {
      // Citus may not run commands in parallel after a table that others reference was changed in the transaction.
      await runner.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
      let rows: string | undefined;
      for (const statement of statements) {
        if (moved !== undefined && statement.startsWith("SELECT")) rows = await count(runner, moved);
        await runner.query(statement);
        if (rows === undefined || moved === undefined || !statement.startsWith("SELECT")) continue;
        const after = await count(runner, moved);
        if (after !== rows) throw new OperatorError(`${moved} had ${rows} rows and now has ${after}.`);
      }
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  });
}

/**
 * Checks that the settings of a transaction reach the workers: row-level security reads them there.
 * @throws OperatorError when the database is distributed and they do not
 */
export async function checkDistribution(database: Database): Promise<void> {
  if (!(await hasCitus(database.orm))) return;
  await withRunner(database, async (runner) => {
    const status = await readStatus(runner);
    if (!status.some(({ type }) => type === "distributed")) return;
    const local = status.filter(({ type }) => type === "local").map(({ table }) => table);
    if (local.length > 0)
      throw new OperatorError(
        `Citus does not distribute these tables yet: ${local.join(", ")}. Run \`user-groups distribute\`.`,
      );
    if (await propagatesSettings(runner)) return;
    throw new OperatorError(
      "Citus does not propagate settings to the workers. Run `user-groups distribute`, or set citus.propagate_set_commands to local.",
    );
  });
}

/** Foreign keys and triggers must go first. The trigger of revoked keys only serves changes by hand on plain PostgreSQL. */
async function release(runner: QueryRunner): Promise<DistributionStep[]> {
  const present = await constraints(runner);
  const keys = FOREIGN_KEYS.filter(({ name }) => present.has(name)).map(
    ({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
  );
  const triggers: { name: string; table: string }[] = await runner.query(
    `SELECT tgname AS name, tgrelid::regclass::text AS table FROM pg_trigger
      WHERE NOT tgisinternal AND tgrelid = ANY ($1::regclass[]) ORDER BY 2, 1`,
    [DISTRIBUTED],
  );
  const drops = triggers.map(({ name, table }) => `DROP TRIGGER ${escapeIdentifier(name)} ON ${table}`);
  const statements = [...keys, ...drops];
  return statements.length === 0 ? [] : [{ statements }];
}

function moveRows(table: string, move: string): DistributionStep {
  return { moved: table, statements: withoutRowSecurity([...new Set([table, "account"])], move) };
}

/** Row-level security is forced on the owner too: it would hide the rows to copy, and those that foreign keys refer to. */
function withoutRowSecurity(tables: readonly string[], statement: string): string[] {
  const alter = (change: string) =>
    tables.map((table) => `ALTER TABLE ${table} ${change} ROW LEVEL SECURITY`);
  return [...alter("DISABLE"), statement, ...alter("ENABLE")];
}

async function propagateSettings(runner: QueryRunner): Promise<DistributionStep> {
  const [{ name }] = await runner.query("SELECT current_database() AS name");
  return {
    statements: [`ALTER DATABASE ${escapeIdentifier(name)} SET citus.propagate_set_commands = 'local'`],
  };
}

async function propagatesSettings(runner: QueryRunner): Promise<boolean> {
  const [{ mode }] = await runner.query(
    "SELECT current_setting('citus.propagate_set_commands', true) AS mode",
  );
  return mode === "local";
}

async function requireCitus({ orm }: Database): Promise<void> {
  if (await hasCitus(orm)) return;
  throw new OperatorError(
    "This database has no Citus. Run CREATE EXTENSION citus on every node, then add the workers.",
  );
}

async function readStatus(runner: QueryRunner): Promise<TableDistribution[]> {
  return runner.query(
    `SELECT name AS table, CASE partmethod WHEN 'h' THEN 'distributed' WHEN 'n' THEN
        CASE repmodel WHEN 't' THEN 'reference' ELSE 'local' END ELSE 'local' END AS type,
      (SELECT count(*)::integer FROM pg_dist_shard WHERE pg_dist_shard.logicalrelid = part.logicalrelid) AS shards
    FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, position)
    LEFT JOIN pg_dist_partition AS part ON part.logicalrelid = to_regclass(name) ORDER BY position`,
    [["account", ...DISTRIBUTED]],
  );
}

async function constraints(runner: QueryRunner): Promise<ReadonlySet<string>> {
  const rows: { name: string }[] = await runner.query(
    "SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])",
    [DISTRIBUTED],
  );
  return new Set(rows.map(({ name }) => name));
}

async function count(runner: QueryRunner, table: string): Promise<string> {
  const [{ rows }] = await runner.query(`SELECT count(*) AS rows FROM ${table}`);
  return rows;
}

async function withRunner<T>(database: Database, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  const runner = database.orm.createQueryRunner();
  try {
    return await work(runner);
  } finally {
    await runner.release();
  }
}
