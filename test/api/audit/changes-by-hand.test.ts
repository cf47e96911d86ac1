import { expect, onTestFinished, test } from "vitest";
import { AUDIT_ACTIONS, type AuditAction, type AuditEvent } from "../../../src/domain/audit/entry.js";
import { WEBHOOK_EVENTS } from "../../../src/domain/webhooks/webhook.js";
import { migrateDown } from "../../../src/persistence/database/migrator.js";
import { record } from "../../../src/persistence/shared/record.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { createMigrationDatabase } from "../../support/postgres/migration-database.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

const graphql = await startGraphql();
const { account, service } = graphql;
const { accountId } = account;
await createUserGroup(graphql, "acme");
await graphql.rest("PUT", { user_group_id: "acme", name: "New" });
for (const document of [goodSite, { ...goodSite, name: "Again" }])
  await changeSite(graphql, "put", { site: "docs", document });
await createEndpoint(graphql, "subject");
await createEndpoint(graphql, "receiver");

/** Sessions are no changes, templates have secrets that only the service can write, and only the service checks schemas. */
type Change = Exclude<
  AuditAction,
  "user_group.embed_session_created" | `${"session_template" | "property_schema"}.${string}`
>;
const ACTIONS = AUDIT_ACTIONS.filter(
  (action): action is Change =>
    action !== "user_group.embed_session_created" && !/^(session_template|property_schema)\./.test(action),
);

interface Subject {
  readonly subjectId: number;
  readonly subjectName: string;
}

async function subjectOf(table: string, columns: string): Promise<Data> {
  const [row] = await service.query(
    `SELECT id AS "subjectId", ${columns} FROM ${table} WHERE account_id = $1 AND environment = 'Customer' ORDER BY id LIMIT 1`,
    [accountId],
  );
  return row;
}
const group: Subject & { version: number } = await subjectOf(
  "user_group",
  'provided_id AS "subjectName", version',
);
const site: Subject & { version: number } = await subjectOf(
  "site_config",
  'site AS "subjectName", revision AS version',
);
const source: Subject = await subjectOf("data_source", 'provided_id AS "subjectName"');
const apiKey: Subject = await subjectOf("api_key", 'name AS "subjectName"');
const endpoint: Subject = await subjectOf("webhook_endpoint", 'name AS "subjectName"');

/** A new action does not compile without an event. */
const EVENTS: { readonly [Action in Change]: AuditEvent & { readonly action: Action } } = {
  "user_group.created": { action: "user_group.created", ...group },
  "user_group.updated": {
    action: "user_group.updated",
    ...group,
    changed: ["name", "properties", "mapping"],
  },
  "user_group.token_rotated": { action: "user_group.token_rotated", ...group },
  "user_group.deleted": { action: "user_group.deleted", ...group },
  "data_source.created": { action: "data_source.created", ...source },
  "data_source.updated": { action: "data_source.updated", ...source, changed: ["providedId", "name"] },
  "data_source.deleted": { action: "data_source.deleted", ...source },
  "api_key.created": { action: "api_key.created", ...apiKey },
  "api_key.revoked": { action: "api_key.revoked", ...apiKey },
  "site_config.published": { action: "site_config.published", ...site },
  "site_config.opened": { action: "site_config.opened", ...site },
  "site_config.closed": { action: "site_config.closed", ...site },
  "site_config.deleted": { action: "site_config.deleted", ...site },
  "webhook_endpoint.created": { action: "webhook_endpoint.created", ...endpoint },
  "webhook_endpoint.updated": {
    action: "webhook_endpoint.updated",
    ...endpoint,
    changed: ["name", "url", "events", "enabled", "secret"],
  },
  "webhook_endpoint.disabled": { action: "webhook_endpoint.disabled", ...endpoint, changed: ["enabled"] },
  "webhook_endpoint.deleted": { action: "webhook_endpoint.deleted", ...endpoint },
};

const RECORD_CHANGE = "SELECT record_change($1, $2, $3, $4, $5) AS id";

/** Returns what `work` records, without IDs and times of events. */
async function recordedBy(work: () => Promise<unknown>): Promise<{ entries: Data[]; deliveries: Data[] }> {
  const [{ last }] = await service.query("SELECT coalesce(max(id), 0) AS last FROM audit_entry");
  await service.query("DELETE FROM webhook_delivery");
  await work();
  const entries = await service.query(
    `SELECT account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id
      FROM audit_entry WHERE id > $1 ORDER BY id`,
    [last],
  );
  const deliveries = await service.query(
    `SELECT account_id, environment, endpoint_id, event, subject, state, attempts,
        replace(payload::text, event_id::text, 'event') AS payload FROM webhook_delivery ORDER BY endpoint_id`,
  );
  const withoutTime = (payload: string) => payload.replace(/"20\d\d-[^"]+Z"/, '"time"');
  return {
    entries,
    deliveries: deliveries.map((each) => ({ ...each, payload: withoutTime(each.payload) })),
  };
}

test("a change by hand is not recorded", async () => {
  const { entries, deliveries } = await recordedBy(async () => {
    await service.query("UPDATE user_group SET name = 'By hand', version = version + 1 WHERE id = $1", [
      group.subjectId,
    ]);
    await service.query("UPDATE user_group SET version = version - 1 WHERE id = $1", [group.subjectId]);
    await service.query("UPDATE data_source SET name = 'By hand' WHERE id = $1", [source.subjectId]);
    await service.query("UPDATE webhook_endpoint SET name = name || '' WHERE id = $1", [endpoint.subjectId]);
  });
  expect([...entries, ...deliveries]).toEqual([]);
});

test.each(ACTIONS)("record_change records %s as the service does", async (action) => {
  const [{ name }] = await service.query("SELECT session_user AS name");
  const event = EVENTS[action];
  if (action === "webhook_endpoint.disabled") {
    const setDisabled = (time: string) =>
      service.query(`UPDATE webhook_endpoint SET disabled_at = ${time} WHERE id = $1`, [endpoint.subjectId]);
    await setDisabled("now()");
    onTestFinished(async () => {
      await setDisabled("NULL");
    });
  }
  const actor = { keyId: null, name, requestId: null };
  const byService = await recordedBy(() =>
    service.database
      .for({ accountId, environment: "Customer", actor })
      .transaction((transaction) => record(transaction, event)),
  );
  const { subjectId, changed = [] } = event;
  const byHand = await recordedBy(() =>
    service.query(RECORD_CHANGE, [account.name, "Customer", action, subjectId, changed.toReversed()]),
  );
  expect(byHand).toEqual(byService);
  expect(byHand.entries).toHaveLength(1);
  const isSent = WEBHOOK_EVENTS.some((sent) => sent === action);
  // An endpoint is not notified that it is disabled.
  expect(byHand.deliveries).toHaveLength(isSent ? (action === "webhook_endpoint.disabled" ? 1 : 2) : 0);
});

test.each([
  ["an unknown account", { account: "nobody" }, "No account has the name 'nobody'."],
  ["an unknown action", { action: "user_group.renamed" }, "Unknown action 'user_group.renamed'."],
  ["an unknown subject", { subject: 987_654_321 }, "has no user_group with the ID 987654321"],
  [
    "a subject of the other environment",
    { environment: "Testing" },
    "Environment Testing of the account has no user_group",
  ],
  ["an unknown environment", { environment: "Staging" }, "invalid input value for enum environment"],
  ["an unknown field", { changed: ["title"] }, "does not fit the action user_group.updated"],
  ["no field", { changed: [] }, "does not fit the action user_group.updated"],
  [
    "a field of an action without any",
    { action: "user_group.deleted" },
    "does not fit the action user_group.deleted",
  ],
  ["null", { subject: null }, "No argument of record_change may be null"],
])("record_change refuses %s", async (_, wrong, message) => {
  const call = {
    account: account.name,
    environment: "Customer",
    action: "user_group.updated",
    subject: group.subjectId,
    changed: ["name"],
    ...wrong,
  };
  const recorded = await recordedBy(() =>
    expect(service.query(RECORD_CHANGE, Object.values(call))).rejects.toThrow(message),
  );
  expect(recorded).toEqual({ entries: [], deliveries: [] });
});

test("the application role may not call record_change", async () => {
  const call = { access: "write", text: RECORD_CHANGE } as const;
  const values = [account.name, "Customer", "user_group.deleted", group.subjectId, []];
  await expect(service.database.of("operator").run(call, values)).rejects.toThrow(
    "permission denied for function",
  );
});

const migrated = await createMigrationDatabase();

test("the owner role, to which row-level security applies, records a change in the scope of its account", async () => {
  const { database, query, up } = migrated;
  await up();
  await query("INSERT INTO account (name, token_key_id) VALUES ('demo', ''), ('other', '')");
  await query(
    "INSERT INTO data_source (account_id, environment, provided_id, name) VALUES (1, 'Customer', 'sales', 'Sales')",
  );
  const [result] = await database.entities({ accountId: 2, environment: "Testing" }, async (manager) => {
    await manager.query("SELECT record_change('demo', 'Customer', 'data_source.created', 1)");
    return manager.query(
      "SELECT current_setting('app.account_id') AS account, current_setting('app.environment') AS environment",
    );
  });
  expect(result).toEqual({ account: "2", environment: "Testing" });
  expect(await query("SELECT account_id, action, subject_name FROM audit_entry")).toEqual([
    { account_id: 1, action: "data_source.created", subject_name: "sales" },
  ]);
});

test("reverting the migration that dropped them restores the triggers that recorded changes by hand", async () => {
  const { database, query, up } = migrated;
  for (const migration of [
    "VersionsOfConfiguration1798000000000",
    "PropertySchemas1797000000000",
    "IndexFailedDeliveries1796000100000",
    "BulkChanges1796000000000",
    "SessionTemplates1795866000000",
    "DropRecordingTriggers1795865000000",
  ])
    expect(await migrateDown(database)).toBe(migration);
  await query("UPDATE data_source SET name = 'By hand'");
  const entries = "SELECT action, changed FROM audit_entry WHERE action = 'data_source.updated'";
  expect(await query(entries)).toEqual([{ action: "data_source.updated", changed: ["name"] }]);
  const triggers = "SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal";
  expect(await query(triggers)).toHaveLength(11);
  await up();
  expect(await query(triggers)).toEqual([{ name: "api_key_revoked" }]);
});
