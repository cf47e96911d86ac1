import { expect, test } from "vitest";
import { listFiles, readSource } from "../../support/repository/source-files.js";

const TABLES = "user_group|data_source|api_key|site_config|site_config_revision|webhook_endpoint";
const STATEMENT = new RegExp(`(?:INSERT INTO|UPDATE|DELETE FROM) (?:${TABLES})\\b`, "g");
const RECORDS = /\b(?:recorded|recordedChange|recordedGroups)\(/g;

const ENTITY = "\\s*(?:UserGroup|DataSource|ApiKey|SiteConfig|SiteConfigRevision|WebhookEndpoint)Entity\\b";
/** Writes of the entity manager and of its query builder; those that take an entity alone do not show its table. */
const ENTITY_WRITE = new RegExp(
  `\\.(?:insert|update|delete|upsert|increment|decrement|softDelete|restore|into)\\(${ENTITY}|\\.delete\\(\\)\\s*\\.from\\(${ENTITY}|\\b[mM]anager[^;]{0,60}?\\.(?:save|remove|softRemove|recover)\\(`,
);

/** Statements and functions that change these tables and have no audit entry of their own. */
const UNRECORDED: Readonly<Record<string, number>> = {
  // The time of the last use.
  "persistence/accounts/api-key-queries.ts": 1,
  // The row before its first revision.
  "persistence/site-configs/writes.ts": 1,
  // Encryption under another key.
  "persistence/user-groups/token-reencryption-queries.ts": 1,
  // Also the end of a pause, which follows from deliveries and not from a setting.
  "persistence/webhooks/endpoints.ts": 2,
  // The audit log is deleted with its account.
  "persistence/transfer/account-deletion-queries.ts": 1,
  // Successful deliveries.
  "persistence/webhooks/settlement.ts": 1,
};

test("every change records itself in its statement or in its function", () => {
  const unrecorded = [...listFiles("src/persistence"), ...listFiles("src/services")].flatMap((path) => {
    const { text } = readSource(path);
    const count = unrecordedStatements(text) + unrecordedFunctions(text).length;
    return count > 0 ? [[path.replace("src/", ""), count]] : [];
  });
  expect(Object.fromEntries(unrecorded)).toEqual(UNRECORDED);
});

test("finds a change that is not recorded", () => {
  const change = `export async function rename(transaction: TenantTransaction) {
    await manager.update(DataSourceEntity, { id }, { name });`;
  expect(unrecordedFunctions(`${change}\n}`)).toHaveLength(1);
  expect(unrecordedFunctions(`${change}\n  await record(transaction, event);\n}`)).toEqual([]);
  expect(
    unrecordedFunctions("function renameGroup() {\n  await db.manager(write, label).save(group);\n}"),
  ).toHaveLength(1);
  expect(unrecordedStatements("const text = `UPDATE data_source SET name = $1`;")).toBe(1);
});

function unrecordedStatements(text: string): number {
  // A definition contains its own name and a call.
  const definitions = text.match(/function recordedGroups\b/g)?.length ?? 0;
  return Math.max(
    0,
    (text.match(STATEMENT)?.length ?? 0) - (text.match(RECORDS)?.length ?? 0) + definitions * 2,
  );
}

/** Returns the functions and methods that write entities of these tables and do not call `record`. */
function unrecordedFunctions(text: string): string[] {
  const functions = text.split(
    /^(?=(?:export )?(?:async )?(?:function|const) | {2}(?:async |static |get )*#?\w+[<(].*\{$)/m,
  );
  return functions.filter((body) => ENTITY_WRITE.test(body) && !/\brecord\(/.test(body));
}
