// Raw SQL: the statement that makes a change also writes the audit log and the outbox (decision 34). Citus has no triggers on distributed tables.

/** The events that are sent to webhook endpoints. */
const SENT_EVENTS = `'user_group.created', 'user_group.updated', 'user_group.token_rotated', 'user_group.deleted',
  'site_config.published', 'webhook_endpoint.disabled'`;

/** The global ID of an object, as in GraphQL. */
const nodeId = (type: string) =>
  `translate(encode(convert_to('${type}:' || subject_id, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;

const EVENT_DATA = `CASE action
  WHEN 'site_config.published' THEN json_build_object('siteConfig', json_build_object(
    'id', ${nodeId("SiteConfig")}, 'site', subject_name, 'revision', version))
  WHEN 'webhook_endpoint.disabled' THEN json_build_object('webhookEndpoint', json_build_object('id', ${nodeId("WebhookEndpoint")}))
  ELSE json_build_object('userGroup', json_build_object(
    'id', ${nodeId("UserGroup")}, 'teamId', subject_id, 'providedId', subject_name, 'version', version, 'changed', changed)) END`;

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
  /** Expression of the token hash in hexadecimal that `Actor.requestIds` may have the request ID of. */
  readonly requestRow?: string;
  /** FROM and WHERE clauses: rows with the columns account_id, environment and id of the subject. */
  readonly from: string;
  /** Order of a subject's events. */
  readonly order?: string;
}

/**
 * Returns common table expressions that write an audit entry for each event, and its webhook deliveries. They follow the one that makes the
 * change, and need the account as $1. The actor is that of the transaction.
 */
export function recording({
  action,
  subjectName,
  version = "NULL",
  changed = "'{}'",
  requestRow = "NULL",
  from,
  order = "1",
}: AuditEvents): string {
  // The actor is read once: for each row, it would take the square of the time where it lists the requests of all rows.
  return `actor AS MATERIALIZED (
      SELECT (who ->> 'keyId')::integer AS key_id, coalesce(who ->> 'name', session_user::text) AS name,
        who ->> 'requestId' AS request_id, who -> 'requestIds' AS request_ids
      FROM (SELECT nullif(current_setting('app.audit_actor', true), '')::jsonb AS who) AS setting),
    event AS (
      SELECT account_id, environment::text::environment AS environment, (${action})::text AS action, id AS subject_id,
        (${subjectName})::text AS subject_name, (${version})::integer AS version, (${changed})::text[] AS changed,
        (${requestRow})::text AS request_row, ${order} AS position
      ${from}),
    entry AS (
      INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, version, changed,
        actor_key_id, actor_name, request_id)
      SELECT account_id, environment, action, subject_id, subject_name, version, changed, actor.key_id, actor.name,
        coalesce(request_ids ->> request_row, request_ids ->> subject_id::text, actor.request_id)
      FROM event, actor ORDER BY subject_id, position
      RETURNING *),
    outbox AS (
      INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
      SELECT sent.account_id, endpoint.environment, endpoint.id, event_id, action, split_part(action, '.', 1) || ':' || subject_id,
        json_build_object('id', event_id, 'type', action,
          'createdAt', to_char(sent.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'environment', sent.environment, 'data', ${EVENT_DATA})
      FROM (SELECT *, gen_random_uuid() AS event_id FROM entry WHERE action IN (${SENT_EVENTS})) AS sent
      JOIN webhook_endpoint AS endpoint ON endpoint.account_id = $1 AND endpoint.environment = sent.environment::text
        AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
        AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
        -- The statement that disables an endpoint still sees it as enabled.
        AND (action <> 'webhook_endpoint.disabled' OR endpoint.id <> subject_id)
      ORDER BY sent.id, endpoint.id
      -- Without RETURNING, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
      RETURNING 1)`;
}

/**
 * Returns a statement that makes a change, records it and returns columns of the changed rows.
 * @param change INSERT, UPDATE or DELETE with RETURNING; its rows are `changed`
 * @param before preceding common table expressions, with a trailing comma
 */
export function recorded(
  change: string,
  events: Omit<AuditEvents, "from"> & { readonly from?: string },
  columns: string,
  before = "",
): string {
  return `WITH ${before} changed AS (${change}), ${recording({ from: "FROM changed", ...events })}
    SELECT ${columns} FROM changed`;
}
