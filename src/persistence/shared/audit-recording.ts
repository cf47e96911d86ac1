import { escapeLiteral } from "pg";
import { WEBHOOK_EVENTS } from "../../domain/webhooks/webhook.js";
import { eventData, eventPayload } from "./event-payload.js";
import type { Queryable, Statement } from "./statement.js";
import { eachField } from "./user-group-fields.js";

// Raw SQL: the statement that makes a change also writes the audit log and the outbox (decision 34). Citus has no triggers on distributed tables.

const SENT_EVENTS = WEBHOOK_EVENTS.map(escapeLiteral).join(", ");

const EVENT_DATA = `CASE action ${WEBHOOK_EVENTS.map((event) => `WHEN '${event}' THEN ${eventData(event)}`).join("\n  ")} END`;

/** Rows of audit events, as SQL. */
export interface AuditEvents {
  /** Expression of the action. */
  readonly action: string;
  /** Expression of the subject's name. */
  readonly subjectName: string;
  /** Expression of the version; NULL by default. */
  readonly version?: string;
  /** Expression of the names of the changed fields; none by default. */
  readonly changed?: string;
  /** FROM and WHERE clauses: rows with the columns account_id, environment and id of the subject. */
  readonly from: string;
  /** Order of a subject's events. */
  readonly order?: string;
  /** SELECT of the columns `HISTORY` with former values of user groups. */
  readonly history?: string;
}

/** Columns of `user_group_history` that a statement selects, with their types. */
const HISTORY_TYPES = `account_id integer, environment environment, user_group_id bigint, version integer, ${eachField(({ column, type }) => `${column} ${type}`)}, mapping_version integer, mapping json`;
const HISTORY = HISTORY_TYPES.replaceAll(/ \w+(?=,|$)/g, "");

/** The texts of a statement that makes a change and records it. */
export type RecordedChange = Pick<Statement, "text" | "change">;

// OFFSET 0: the setting is parsed once, not for each row.
const ACTOR = `(SELECT (who ->> 'keyId')::bigint AS key_id, coalesce(who ->> 'name', session_user::text) AS name,
        who ->> 'requestId' AS request_id
      FROM (SELECT nullif(current_setting('app.audit_actor', true), '')::jsonb AS who) AS setting OFFSET 0) AS actor`;

const insertEntries = (
  event: string,
) => `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, version,
        changed, actor_key_id, actor_name, request_id)
      SELECT account_id, environment, action, subject_id, subject_name, version, changed, actor.key_id, actor.name,
        actor.request_id
      FROM ${event}, ${ACTOR} ORDER BY subject_id, position
      RETURNING *`;

const insertDeliveries = (
  entry: string,
) => `INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject,
        payload)
      SELECT sent.account_id, endpoint.environment, endpoint.id, event_id, action, split_part(action, '.', 1) || ':' || subject_id,
        ${eventPayload({ id: "event_id", type: "action", createdAt: "sent.created_at", environment: "sent.environment", data: EVENT_DATA })}
      FROM (SELECT *, gen_random_uuid() AS event_id FROM ${entry} WHERE action IN (${SENT_EVENTS})) AS sent
      JOIN webhook_endpoint AS endpoint ON endpoint.account_id = $1 AND endpoint.environment = sent.environment::text
        AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
        AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
        -- The statement that disables an endpoint still sees it as enabled.
        AND (action <> 'webhook_endpoint.disabled' OR endpoint.id <> subject_id)
      ORDER BY sent.id, endpoint.id
      -- Without RETURNING, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
      RETURNING 1`;

const insertHistory = (former: string) => `INSERT INTO user_group_history (${HISTORY}, replaced_by)
      SELECT former.*, actor.name FROM ${former} AS former, ${ACTOR}
      WHERE coalesce(current_setting('app.group_history', true), '') <> 'off' RETURNING 1`;

/**
 * Returns the texts of a statement that makes a change, writes an audit entry for each event, and its webhook deliveries. Their $1 is the
 * account; the actor is that of the transaction.
 * @param changes common table expressions
 * @param select returns the statement's result, with further columns in each SELECT
 */
export function recordedChange(
  changes: string,
  { action, subjectName, version = "NULL", changed = "'{}'", from, order = "1", history }: AuditEvents,
  select: (further: string) => string,
): RecordedChange {
  const change = `WITH ${changes},
    event AS (
      SELECT account_id, environment::text::environment AS environment, (${action})::text AS action, id AS subject_id,
        (${subjectName})::text AS subject_name, (${version})::integer AS version, (${changed})::text[] AS changed,
        ${order} AS position
      ${from})`;
  const former =
    history === undefined ? "" : `, 'history', (SELECT json_agg(former) FROM (${history}) AS former)`;
  const record = `json_build_object('events', (SELECT json_agg(event) FROM event)${former})`;
  return {
    text: `${change},
    ${history === undefined ? "" : `history AS (${insertHistory(`(${history})`)}),`}
    entry AS (${insertEntries("event")}),
    outbox AS (${insertDeliveries("entry")})
    ${select("")}`,
    change: `${change}
    ${select(`, CASE WHEN row_number() OVER () = 1 AND EXISTS (SELECT FROM event) THEN ${record}::text END AS record_of_change`)}`,
  };
}

/**
 * Returns the texts of a statement that makes a change, records it and returns columns of the changed rows.
 * @param change INSERT, UPDATE or DELETE with RETURNING; its rows are `changed`
 * @param before preceding common table expressions, with a trailing comma
 */
export function recorded(
  change: string,
  events: Omit<AuditEvents, "from"> & { readonly from?: string },
  columns: string,
  before = "",
): RecordedChange {
  return recordedChange(
    `${before} changed AS (${change})`,
    { from: "FROM changed", ...events },
    (further) => `SELECT ${columns}${further} FROM changed`,
  );
}

const INSERT_ENTRIES: Statement = {
  name: "audit_entries_insert",
  access: "write",
  text: `WITH entry AS (${insertEntries(`jsonb_to_recordset($1::jsonb -> 'events') AS event (account_id integer, environment environment, action text,
        subject_id bigint, subject_name text, version integer, changed text[], position integer)`)})
    SELECT json_agg(entry)::text AS entries, json_typeof($1::json -> 'history') = 'array' AS "hasHistory" FROM entry`,
};

const INSERT_HISTORY: Statement = {
  name: "user_group_history_insert",
  access: "write",
  // As json, the properties keep their text.
  text: insertHistory(`(SELECT * FROM json_to_recordset($1::json -> 'history') AS item (${HISTORY_TYPES}))`),
};

const INSERT_DELIVERIES: Statement = {
  name: "webhook_deliveries_insert",
  access: "write",
  text: `WITH delivery AS (${insertDeliveries("jsonb_populate_recordset(NULL::audit_entry, $2::jsonb)")})
    SELECT count(*) FROM delivery`,
};

/**
 * Runs a statement that makes a change and records it as further statements, within a transaction. As one, Citus would send the changed rows
 * to all workers, so that no account could be changed while any worker is down.
 * @param values the first is the account
 */
export async function changeThenRecord<Row extends object>(
  transaction: Queryable,
  { change, ...statement }: Statement & { readonly change: string },
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await transaction.run<Row>({ ...statement, text: change }, values);
  const [record] = rows.map(takeLast).filter((value) => value !== null);
  if (record === undefined) return rows;
  const [inserted] = await transaction.run<{ entries: string; hasHistory: boolean | null }>(INSERT_ENTRIES, [
    record,
  ]);
  if (inserted?.hasHistory) await transaction.run(INSERT_HISTORY, [record]);
  await transaction.run(INSERT_DELIVERIES, [values[0], inserted?.entries]);
  return rows;
}

/** Removes the column of the record, the last one. */
function takeLast(row: object): unknown {
  if (Array.isArray(row)) return row.pop();
  const record: unknown = Reflect.get(row, "record_of_change");
  Reflect.deleteProperty(row, "record_of_change");
  return record;
}
