import { ACTOR, insertDeliveries, insertEntries, recordEvents } from "./record.js";
import type { Queryable, Statement } from "./statement.js";
import { eachField } from "./user-group-fields.js";

// Raw SQL: the statements that change user groups are called most, so they also record the change, in one round trip (decision 34). All other changes
// call `record`.
//
// Each change is described once, as steps (common table expressions) with names: `event` has a row for each audit event, `history` keeps the
// former values of the groups, `entry` writes the audit entries of the events, and `delivery` the webhook deliveries of the entries. Two texts
// are derived from them. `text` has all steps. Citus would send the rows that one step returns to all workers if another step inserts them, so
// that no account could be changed while any worker is down. Its text, `change`, therefore ends with `event`, and the first row of its result
// also has the events and the former values as JSON, from which `changeThenRecord` writes them with further statements of the transaction.

/** Rows of audit events of user groups, as SQL. */
export interface AuditEvents {
  /** Expression of the action. */
  readonly action: string;
  /** Expression of the names of the changed fields; none by default. */
  readonly changed?: string;
  /** FROM and WHERE clauses: rows of user_group. */
  readonly from: string;
  /** SELECT of the columns `HISTORY` with former values of user groups. */
  readonly history?: string;
}

/** The texts of a statement that makes a change and records it. */
export type RecordedChange = Pick<Statement, "text" | "change">;

/** Columns of `user_group_history` that a statement selects, with their types. */
const HISTORY_TYPES = `account_id integer, environment environment, user_group_id bigint, version integer, ${eachField(({ column, type }) => `${column} ${type}`)}, mapping_version integer, mapping json`;
const HISTORY = HISTORY_TYPES.replaceAll(/ \w+(?=,|$)/g, "");

/**
 * Returns the texts of a statement that makes a change, writes an audit entry for each event, and its webhook deliveries. Their $1 is the
 * account; the actor is that of the transaction.
 * @param changes common table expressions
 * @param select returns the statement's result, with further columns in each SELECT
 */
export function recordedChange(
  changes: string,
  events: AuditEvents,
  select: (further: string) => string,
): RecordedChange {
  const { history } = events;
  const change = `WITH ${changes},
    event AS (${selectEvents(events)})`;
  return {
    text: `${change},
    ${history === undefined ? "" : `history AS (${insertHistory(`(${history})`)}),`}
    entry AS (${insertEntries("event")}),
    delivery AS (${insertDeliveries("entry")})
    ${select("")}`,
    change: {
      text: `${change}
    ${select(`, ${jsonOfFirstRow(history)} AS record_of_change`)}`,
      hasHistory: history !== undefined,
    },
  };
}

/**
 * Returns the texts of a statement that makes a change, records it and returns columns of the changed rows.
 * @param change INSERT, UPDATE or DELETE with RETURNING; its rows are `changed`
 */
export function recorded(change: string, events: Omit<AuditEvents, "from">, columns: string): RecordedChange {
  return recordedChange(
    `changed AS (${change})`,
    { ...events, from: "FROM changed" },
    (further) => `SELECT ${columns}${further} FROM changed`,
  );
}

/** Runs the `change` of a statement within a transaction and records it with further statements. @param values the first is the account */
export async function changeThenRecord<Row extends object>(
  transaction: Queryable,
  { change, ...statement }: Statement & Required<Pick<Statement, "change">>,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await transaction.run<Row>({ ...statement, text: change.text }, values);
  const [record] = rows.map(takeRecord).filter((value) => value !== null);
  if (record === undefined) return rows;
  if (change.hasHistory) await transaction.run(INSERT_HISTORY, [record]);
  await recordEvents(transaction, values[0], record);
  return rows;
}

/** Removes `record_of_change`, the last column, from a row and returns it. */
function takeRecord(row: object): string | null {
  const record: unknown = Array.isArray(row) ? row.pop() : Reflect.get(row, "record_of_change");
  Reflect.deleteProperty(row, "record_of_change");
  return typeof record === "string" ? record : null;
}

function selectEvents({ action, changed = "'{}'", from }: AuditEvents): string {
  return `SELECT account_id, environment::text::environment AS environment, (${action})::text AS action, id AS subject_id,
        (provided_id)::text AS subject_name, (version)::integer AS version, (${changed})::text[] AS changed, 1 AS position
      ${from}`;
}

/** Returns an expression of the events and former values in the first row, if there are any events; NULL in all others. */
function jsonOfFirstRow(history: string | undefined): string {
  const events = "'events', (SELECT json_agg(event) FROM event)";
  const former =
    history === undefined ? "" : `, 'history', (SELECT json_agg(former) FROM (${history}) AS former)`;
  return `CASE WHEN row_number() OVER () = 1 AND EXISTS (SELECT FROM event) THEN json_build_object(${events}${former})::text END`;
}

function insertHistory(former: string): string {
  return `INSERT INTO user_group_history (${HISTORY}, replaced_by, bulk_change_id)
      SELECT former.*, actor.name, actor.bulk_change_id FROM ${former} AS former, ${ACTOR}
      WHERE coalesce(current_setting('app.group_history', true), '') <> 'off' RETURNING 1`;
}

const INSERT_HISTORY: Statement = {
  name: "user_group_history_insert",
  access: "write",
  // As json, the properties keep their text.
  text: insertHistory(`(SELECT * FROM json_to_recordset($1::json -> 'history') AS item (${HISTORY_TYPES}))`),
};
