import { escapeLiteral } from "pg";
import type { AuditEvent } from "../../domain/audit/entry.js";
import { WEBHOOK_EVENTS } from "../../domain/webhooks/webhook.js";
import { eventData, eventPayload } from "./event-payload.js";
import type { Queryable, Statement } from "./statement.js";
import type { TenantTransaction } from "./tenant-db.js";

// Raw SQL: INSERT … SELECT reads the author from the transaction's setting and finds the endpoints of each event.

const SENT_EVENTS = WEBHOOK_EVENTS.map(escapeLiteral).join(", ");

const EVENT_DATA = `CASE action ${WEBHOOK_EVENTS.map((event) => `WHEN '${event}' THEN ${eventData(event)}`).join("\n  ")} END`;

/** The author of the transaction's changes, and the bulk change that they belong to. OFFSET 0: the setting is parsed once, not for each row. */
export const ACTOR = `(SELECT (who ->> 'keyId')::bigint AS key_id, coalesce(who ->> 'name', session_user::text) AS name,
        who ->> 'requestId' AS request_id, nullif(current_setting('app.bulk_change', true), '')::uuid AS bulk_change_id
      FROM (SELECT nullif(current_setting('app.audit_actor', true), '')::jsonb AS who) AS setting OFFSET 0) AS actor`;

/** Returns the INSERT of audit entries. @param events relation of events */
export const insertEntries = (
  events: string,
) => `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, version,
        changed, actor_key_id, actor_name, request_id, bulk_change_id)
      SELECT account_id, environment, action, subject_id, subject_name, version, changed, actor.key_id, actor.name,
        actor.request_id, actor.bulk_change_id
      FROM ${events}, ${ACTOR} ORDER BY subject_id, position
      RETURNING *`;

/** Returns the INSERT of the webhook deliveries of audit entries; its $1 is the account. @param entries relation of audit entries */
export const insertDeliveries = (
  entries: string,
) => `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject,
        payload)
      SELECT sent.account_id, endpoint.environment, endpoint.id, event_id, action, split_part(action, '.', 1) || ':' || subject_id,
        ${eventPayload({ id: "event_id", type: "action", createdAt: "sent.created_at", environment: "sent.environment", data: EVENT_DATA })}
      FROM (SELECT *, gen_random_uuid() AS event_id FROM ${entries} WHERE action IN (${SENT_EVENTS})) AS sent
      JOIN webhook_endpoint AS endpoint ON endpoint.account_id = $1 AND endpoint.environment = sent.environment::text
        AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
        AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
      ORDER BY sent.id, endpoint.id
      -- Without RETURNING, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
      RETURNING 1`;

const INSERT_ENTRIES: Statement = {
  name: "audit_entries_insert",
  access: "write",
  text: `WITH entry AS (${insertEntries(`jsonb_to_recordset($1::jsonb -> 'events') AS event (account_id integer, environment environment,
        action text, subject_id bigint, subject_name text, version integer, changed text[], position integer)`)})
    SELECT json_agg(entry)::text AS entries FROM entry`,
};

const INSERT_DELIVERIES: Statement = {
  name: "webhook_deliveries_insert",
  access: "write",
  text: `WITH delivery AS (${insertDeliveries("jsonb_populate_recordset(NULL::audit_entry, $2::jsonb)")})
    SELECT count(*) FROM delivery`,
};

/** Records a change in its transaction: writes the audit entry and the webhook deliveries of each event, in this order. */
export async function record(
  transaction: TenantTransaction,
  ...events: readonly AuditEvent[]
): Promise<void> {
  const { accountId, environment } = transaction;
  const rows = events.map(({ action, subjectId, subjectName, version, changed = [] }, position) => ({
    account_id: accountId,
    environment,
    action,
    subject_id: subjectId,
    subject_name: subjectName,
    version,
    changed,
    position,
  }));
  await recordEvents(transaction.raw, accountId, JSON.stringify({ events: rows }));
}

/** Writes audit entries and webhook deliveries. @param change JSON object with the array `events` */
export async function recordEvents(
  transaction: Queryable,
  accountId: unknown,
  change: string,
): Promise<void> {
  const [inserted] = await transaction.run<{ entries: string }>(INSERT_ENTRIES, [change]);
  await transaction.run(INSERT_DELIVERIES, [accountId, inserted?.entries]);
}
