import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { createTestDatabase } from "../../support/postgres/test-database.js";

const { owner, drop } = await createTestDatabase();
const client = new Client(clientOptions(owner));
await client.connect();
afterAll(async () => {
  await client.end();
  await drop();
});

/** The form of all tenant policies; `environment` is text where there is also an operator policy (decision 32). */
const TENANT = `((account_id = (NULLIF(current_setting('app.account_id'::text, true), ''::text))::integer)
  AND (environment = ENVIRONMENT))`.replace(/\s+/g, " ");
const SETTING = "NULLIF(current_setting('app.environment'::text, true), ''::text)";
const FORMS: Readonly<Record<string, string>> = {
  environment: TENANT.replace("ENVIRONMENT", `(${SETTING})::environment`),
  text: TENANT.replace("ENVIRONMENT", SETTING),
};
const OPERATOR = "(current_setting('app.operator'::text, true) = 'on'::text)";

/** Additional policies for work across all accounts; decision 32 has the reasons. */
const OPERATOR_POLICIES = [
  "api_key ALL",
  "audit_entry INSERT",
  "brought_token SELECT",
  "webhook_delivery ALL",
  "webhook_endpoint SELECT",
];
/** Tables with a policy for each command: of audit entries, the tenant deletes old ones only and replaces names only. */
const TENANT_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  audit_entry: ["DELETE", "DELETE", "INSERT", "SELECT", "UPDATE"],
};
/** Conditions that restrict a tenant policy further. */
const RESTRICTIONS = [
  " AND (created_at < (now() - '30 days'::interval))",
  " AND (subject_name ~ '^erased:[0-9a-f]{32}$'::text)",
];
const TEXT_TABLES = ["idempotent_request", "webhook_delivery", "webhook_endpoint"];

interface Policy {
  readonly table: string;
  readonly cmd: string;
  readonly permissive: string;
  readonly roles: string;
  readonly conditions: readonly string[];
}

test("all tables with an account have the same policy, and operator policies where listed", async () => {
  const { rows: tables } = await client.query<{ name: string; type: string }>(
    `SELECT relname AS name, min(format_type(atttypid, NULL)) FILTER (WHERE attname = 'environment') AS type
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace GROUP BY relname
      HAVING bool_or(attname = 'account_id') ORDER BY relname`,
  );
  expect(tables.length).toBeGreaterThanOrEqual(11);
  expect(tables.filter(({ type }) => type === "text").map(({ name }) => name)).toEqual(TEXT_TABLES);
  const all = await policies();
  const operators: string[] = [];
  for (const { name, type } of tables) {
    const form = FORMS[type];
    const [ofOperator, ofTenant] = [true, false].map((isOperator) =>
      all.filter(
        ({ table, conditions }) =>
          table === name && conditions.every((each) => each === OPERATOR) === isOperator,
      ),
    );
    operators.push(...(ofOperator ?? []).map(({ cmd }) => `${name} ${cmd}`));
    expect(ofTenant?.map(({ cmd }) => cmd).toSorted(), name).toEqual(TENANT_COMMANDS[name] ?? ["ALL"]);
    for (const { conditions } of ofTenant ?? []) {
      for (const condition of conditions) expect(withoutRestriction(condition), name).toBe(form);
    }
  }
  expect(operators.toSorted()).toEqual(OPERATOR_POLICIES);
  // An account has no environment, and public sites look it up by name before its ID is known. Signing keys and sign-outs of people belong to no account.
  expect(all.filter(({ table }) => !tables.some(({ name }) => name === table))).toMatchObject([
    { table: "account", cmd: "ALL", conditions: [expect.stringContaining("app.account_name")] },
    { table: "ended_console_session", cmd: "ALL", conditions: [OPERATOR] },
    { table: "signing_key", cmd: "ALL", conditions: [OPERATOR] },
  ]);
  const [ofOwner, ...ofOwnerToo] = all.filter(({ roles }) => roles !== "{public}");
  expect([ofOwner, ofOwnerToo]).toMatchObject([{ table: "audit_entry", cmd: "DELETE" }, []]);
  for (const policy of all) expect(policy).toMatchObject({ permissive: "PERMISSIVE" });
});

test("SECURITY DEFINER functions pin search_path, with pg_temp last", async () => {
  const { rows } = await client.query<{ name: string; path: string | undefined }>(
    `SELECT proname AS name,
        (SELECT setting FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%') AS path
      FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace`,
  );
  expect(rows.map(({ name }) => name)).toContain("analyze_imported");
  for (const { name, path } of rows) expect(path, name).toMatch(/^search_path=pg_catalog, [a-z_]+, pg_temp$/);
});

function withoutRestriction(condition: string): string {
  const restriction = RESTRICTIONS.find((each) => condition.endsWith(`${each})`));
  return restriction === undefined ? condition : condition.replace(restriction, "");
}

async function policies(): Promise<readonly Policy[]> {
  const { rows } = await client.query<Policy>(
    `SELECT tablename AS "table", cmd, permissive, roles::text AS roles,
        array_remove(ARRAY[qual, with_check], NULL) AS conditions
      FROM pg_policies WHERE schemaname = 'public' ORDER BY tablename, policyname`,
  );
  return rows;
}
