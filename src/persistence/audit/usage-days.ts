import { AUDIT_ACTIONS, type DayCount, type UsageDay } from "../../domain/audit/entry.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: counts of many rows with few blocks, by steps (common table expressions) with names, and an advisory lock.

/** The actions that change something. Embed sessions do not: `embed_session_count` has their number. */
const CHANGES = AUDIT_ACTIONS.filter((action) => action !== "user_group.embed_session_created");

/** Rows that a read may have to count. */
const MAX_PENDING = 1_000;
/** Entries that are added up at once. */
const MAX_ADDED = 100_000;
/** Days whose embed sessions are added up at once. */
const MAX_DAYS = 7;
/** Transactions take less time: entries that are older are all committed. */
const LAG = "interval '5 minutes'";

const TENANT = "account_id = $1 AND environment = $2";
const DAY = "(created_at AT TIME ZONE 'UTC')::date";
const TODAY = "(now() AT TIME ZONE 'UTC')::date";
const FIRST_DAY = "($3::timestamptz AT TIME ZONE 'UTC')::date";
const LAGGED = `date_trunc('milliseconds', now() - ${LAG})`;
const IS_ADDED = "action IN ('user_group.created', 'user_group.deleted')";
const ADDED = "CASE action WHEN 'user_group.created' THEN 1 WHEN 'user_group.deleted' THEN -1 ELSE 0 END";

/** Until when entries, and until which day embed sessions are added up: at most a row each. */
const PROGRESS = `newest AS MATERIALIZED (SELECT day, counted_until, user_groups FROM usage_day
    WHERE ${TENANT} AND api_key_id = 0 AND counted_until IS NOT NULL ORDER BY day DESC LIMIT 1),
  newest_sessions AS MATERIALIZED (SELECT day, sessions_until FROM usage_day
    WHERE ${TENANT} AND api_key_id = 0 AND sessions_until IS NOT NULL ORDER BY day DESC LIMIT 1)`;
// The planner compares with an index only what cannot raise an error before row-level security: a subquery, but not coalesce.
const START = `start AS MATERIALIZED (SELECT coalesce((SELECT counted_until FROM newest), $3::timestamptz) AS since)`;
const PENDING_ENTRIES = `audit_entry WHERE ${TENANT} AND created_at >= (SELECT since FROM start)`;
const PENDING_SESSIONS = `embed_session_count WHERE ${TENANT}
  AND day >= greatest(${FIRST_DAY}, (SELECT day + 1 FROM newest_sessions))`;

const DAYS: Statement = {
  name: "audit_days",
  access: "read",
  isSearch: true,
  text: `WITH ${PROGRESS}, ${START}
    SELECT to_char(day, 'YYYY-MM-DD') AS date, sum(count)::integer AS count FROM (
      SELECT day, changes AS count FROM usage_day WHERE ${TENANT} AND day >= ${FIRST_DAY}
      UNION ALL
      SELECT ${DAY}, 1 FROM ${PENDING_ENTRIES} AND action = ANY ($4::text[])
    ) AS changed GROUP BY day HAVING sum(count) > 0`,
};

const DAYS_OF_KEYS: Statement = {
  name: "audit_days_of_keys",
  access: "read",
  isSearch: true,
  text: `WITH ${PROGRESS}, ${START}
    SELECT id, to_char(day, 'YYYY-MM-DD') AS date, sum(count)::integer AS count FROM (
      SELECT api_key_id AS id, day, changes + embed_sessions AS count FROM usage_day
      WHERE ${TENANT} AND day >= ${FIRST_DAY} AND api_key_id = ANY ($4::bigint[])
      UNION ALL
      SELECT actor_key_id, ${DAY}, 1 FROM ${PENDING_ENTRIES}
        AND actor_key_id = ANY ($4::bigint[]) AND action = ANY ($5::text[])
      UNION ALL
      SELECT api_key_id, day, count FROM ${PENDING_SESSIONS} AND api_key_id = ANY ($4::bigint[])
    ) AS used GROUP BY id, day HAVING sum(count) > 0`,
};

/** Largest `Int` of GraphQL, about 25,000 calls per second. */
const MAX_INT = 2_147_483_647;

const USAGE_DAYS: Statement = {
  name: "usage_days",
  access: "read",
  isSearch: true,
  text: `WITH ${PROGRESS}, ${START},
    pending AS MATERIALIZED (SELECT ${DAY} AS day, sum(${ADDED}) AS added FROM ${PENDING_ENTRIES} AND ${IS_ADDED} GROUP BY 1)
    SELECT to_char(day, 'YYYY-MM-DD') AS date, sum(existing)::integer AS existing, sum(added)::integer AS added,
      sum(sessions)::integer AS "embedSessions",
      least(sum(calls), ${MAX_INT})::integer AS calls, least(sum(errors), ${MAX_INT})::integer AS errors
    FROM (
      SELECT ${TODAY} AS day, coalesce((SELECT user_groups FROM newest) + (SELECT coalesce(sum(added), 0) FROM pending),
        (SELECT count(*) FROM user_group WHERE ${TENANT})) AS existing, 0 AS added, 0 AS sessions, 0 AS calls, 0 AS errors
      UNION ALL
      SELECT day, 0, added, embed_sessions, 0, 0 FROM usage_day WHERE ${TENANT} AND day >= ${FIRST_DAY}
      UNION ALL
      SELECT day, 0, added, 0, 0, 0 FROM pending
      UNION ALL
      SELECT day, 0, 0, count, 0, 0 FROM ${PENDING_SESSIONS}
      UNION ALL
      SELECT day, 0, 0, 0, calls, errors FROM request_count WHERE ${TENANT} AND day >= ${FIRST_DAY}
    ) AS used GROUP BY day`,
};

const LOCK: Statement = {
  name: "usage_days_lock",
  access: "write",
  text: "SELECT pg_try_advisory_xact_lock(hashtextextended('usage_day ' || $1::integer || $2::text, 0)) AS locked",
};

/** The time of the entry that follows this many entries that are not added up; null if there are not as many. */
const timeAfter = (entries: number) => `(SELECT created_at FROM audit_entry
  WHERE ${TENANT} AND created_at >= since ORDER BY created_at OFFSET ${entries} LIMIT 1)`;

/** The time of the first entry that is not added up. */
const FIRST_ENTRY = `first_entry AS MATERIALIZED (
    SELECT coalesce((SELECT counted_until FROM newest), '-infinity') AS since)`;

const NEEDS_FIRST_COUNT = `(SELECT user_groups FROM newest) IS NULL
  AND EXISTS (SELECT FROM user_group WHERE ${TENANT} OFFSET ${MAX_PENDING})`;

/** The entries to add up: those from `since` to `until`. No row while there are few. */
const BATCH = `batch AS MATERIALIZED (
    SELECT since, least(${LAGGED}, ${timeAfter(MAX_ADDED)}) AS until FROM first_entry
    WHERE ${timeAfter(MAX_PENDING)} < ${LAGGED} OR (${NEEDS_FIRST_COUNT}))`;

/** Their changes by day and API key. */
const CHANGES_OF_BATCH = `changes_of_batch AS MATERIALIZED (
    SELECT ${DAY} AS day, coalesce(actor_key_id, 0) AS api_key_id, count(*) FILTER (WHERE action = ANY ($3::text[])) AS changes,
      sum(${ADDED}) AS added, NULL::timestamptz AS counted_until, NULL::bigint AS user_groups
    FROM audit_entry, batch WHERE ${TENANT} AND created_at >= since AND created_at < until GROUP BY 1, 2)`;

/** The groups that exist now, without what later entries added. */
const GROUPS_COUNTED = `(SELECT count(*) FROM user_group WHERE ${TENANT}) - (SELECT coalesce(sum(${ADDED}), 0) FROM audit_entry
      WHERE ${TENANT} AND created_at >= until AND ${IS_ADDED})`;
const GROUPS_CONTINUED = "newest.user_groups + (SELECT coalesce(sum(added), 0) FROM changes_of_batch)";

/**
 * The number of groups at the end of the batch, unless another batch follows. They are counted anew when a day begins, so that an entry
 * that was not seen in time does not make a lasting difference.
 */
const GROUPS_AT_END = `groups_at_end AS MATERIALIZED (
    SELECT until, CASE
      WHEN until < ${LAGGED} THEN NULL
      WHEN newest.user_groups IS NULL OR (until AT TIME ZONE 'UTC')::date > newest.day THEN ${GROUPS_COUNTED}
      ELSE ${GROUPS_CONTINUED} END AS user_groups
    FROM batch LEFT JOIN newest ON true)`;

const SUM_ENTRIES: Statement = {
  name: "usage_days_sum_entries",
  access: "write",
  text: `WITH ${PROGRESS}, ${FIRST_ENTRY}, ${BATCH}, ${CHANGES_OF_BATCH}, ${GROUPS_AT_END}
    SELECT day::text, api_key_id, sum(changes) AS changes, sum(added) AS added, max(counted_until) AS counted_until, max(user_groups) AS user_groups
    FROM (
      SELECT * FROM changes_of_batch
      UNION ALL SELECT (until AT TIME ZONE 'UTC')::date, 0, 0, 0, until, user_groups FROM groups_at_end
    ) AS summed GROUP BY day, api_key_id`,
};

/** The first day whose sessions may not be added up; null without sessions. `known` is the last day that was. */
const FIRST_SESSION_DAY = `first_day AS MATERIALIZED (
    SELECT (SELECT day FROM newest_sessions) AS known, coalesce(
      (SELECT least(day + 1, ((sessions_until - ${LAG}) AT TIME ZONE 'UTC')::date) FROM newest_sessions),
      (SELECT min(day) FROM embed_session_count WHERE ${TENANT})) AS first)`;

/** Returns a condition: more session counts of these days than a read may have to count. */
const hasManySessions = (days: string) =>
  `EXISTS (SELECT FROM embed_session_count WHERE ${TENANT} AND day ${days} OFFSET ${MAX_PENDING})`;

/**
 * The days to add up, of which today is one only if it has many sessions. No row while there are few. Counts of a day still change: it is
 * added up anew until it is over, but not more often than every five minutes.
 */
const PERIOD = `period AS MATERIALIZED (
    SELECT first, greatest(known, least(first + ${MAX_DAYS - 1},
      CASE WHEN ${hasManySessions(`= ${TODAY}`)} THEN ${TODAY} ELSE ${TODAY} - 1 END)) AS last
    FROM first_day WHERE CASE
      WHEN first <= known THEN (SELECT sessions_until FROM newest_sessions) < now() - ${LAG}
      ELSE ${hasManySessions(">= first")} END)`;

const SUM_SESSIONS: Statement = {
  name: "usage_days_sum_sessions",
  access: "write",
  text: `WITH ${PROGRESS}, ${FIRST_SESSION_DAY}, ${PERIOD}
    SELECT day::text, api_key_id, sum(count) AS embed_sessions, max(sessions_until) AS sessions_until FROM (
      SELECT days.day::date AS day, 0 AS api_key_id, 0 AS count, now() AS sessions_until
      FROM period, generate_series(first::timestamp, last, interval '1 day') AS days (day)
      UNION ALL
      SELECT day, api_key_id, count, NULL FROM embed_session_count
      WHERE ${TENANT} AND day >= (SELECT first FROM period) AND day <= (SELECT last FROM period)
    ) AS summed GROUP BY day, api_key_id`,
};

/** Saves sums. Apart from their computation, which Citus cannot do in an INSERT, and not for an account that was deleted in the meantime. */
function savingOf(name: string, types: Readonly<Record<string, string>>, updates: string): Statement {
  const columns = Object.keys(types);
  return {
    name,
    access: "write",
    text: `INSERT INTO usage_day (account_id, environment, day, api_key_id, ${columns.join(", ")})
      SELECT account.id, $2, saved.day, saved.api_key_id, ${columns.map((column) => `saved.${column}`).join(", ")}
      FROM account, jsonb_to_recordset($3::jsonb) AS saved (day date, api_key_id bigint, ${columns.map((column) => `${column} ${types[column]}`).join(", ")})
      WHERE account.id = $1
      ON CONFLICT (account_id, environment, day, api_key_id) DO UPDATE SET ${updates}
      RETURNING 1`,
  };
}

const SAVE_ENTRIES = savingOf(
  "usage_days_save_entries",
  { changes: "bigint", added: "bigint", counted_until: "timestamptz", user_groups: "bigint" },
  `changes = usage_day.changes + excluded.changes, added = usage_day.added + excluded.added,
    counted_until = excluded.counted_until, user_groups = excluded.user_groups`,
);
const SAVE_SESSIONS = savingOf(
  "usage_days_save_sessions",
  { embed_sessions: "bigint", sessions_until: "timestamptz" },
  "embed_sessions = excluded.embed_sessions, sessions_until = excluded.sessions_until",
);

/** Usage of a day. */
interface UsedDay extends Omit<UsageDay, "userGroups"> {
  /** Number of user groups now, on the row of today; 0 on others. */
  readonly existing: number;
  /** Created user groups minus deleted ones. */
  readonly added: number;
}

/** Reads the usage of each day since the start of a day. Days without any are missing. */
export async function readUsage(db: TenantDb, since: Date): Promise<UsedDay[]> {
  return db.run(USAGE_DAYS, [since]);
}

/** Counts the changes of each day since the start of a day. Days without changes are missing. */
export async function countAuditDays(db: TenantDb, since: Date): Promise<DayCount[]> {
  return db.run<DayCount>(DAYS, [since, CHANGES]);
}

/** Counts the changes and embed sessions of each API key like `countAuditDays`. */
export async function countAuditDaysOfKeys(
  db: TenantDb,
  since: Date,
  keyIds: readonly number[],
): Promise<DayCount[]> {
  return db.run(DAYS_OF_KEYS, [since, keyIds, CHANGES]);
}

/**
 * Adds up audit entries and embed sessions by day and API key if there are many that are not, so that reading the usage takes few blocks.
 * @returns whether more may be left
 */
export async function addUpUsage(db: TenantDb): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const [lock] = await transaction.run<{ locked: boolean }>(LOCK, []);
    if (!lock?.locked) return false;
    const entries = await transaction.run(SUM_ENTRIES, [CHANGES]);
    if (entries.length > 0) await transaction.run(SAVE_ENTRIES, [JSON.stringify(entries)]);
    const sessions = await transaction.run(SUM_SESSIONS, []);
    if (sessions.length > 0) await transaction.run(SAVE_SESSIONS, [JSON.stringify(sessions)]);
    return entries.length + sessions.length > 0;
  });
}
