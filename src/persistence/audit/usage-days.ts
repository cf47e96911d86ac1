import { AUDIT_ACTIONS, type DayCount, type UsageDay } from "../../domain/audit/entry.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: counts of many rows.

/** The actions that change something. Embed sessions do not: `embed_session_count` has their number. */
export const CHANGES = AUDIT_ACTIONS.filter((action) => action !== "user_group.embed_session_created");

const TENANT = "account_id = $1 AND environment = $2";
const DAY = "(created_at AT TIME ZONE 'UTC')::date";
const ADDED = "CASE action WHEN 'user_group.created' THEN 1 WHEN 'user_group.deleted' THEN -1 ELSE 0 END";

/** Rows that a read may have to count. */
const MAX_PENDING = 1_000;
/** Entries that are added up at once. */
const MAX_ADDED = 100_000;
/** Days whose embed sessions are added up at once. */
const MAX_DAYS = 7;
/** Transactions take less time: entries that are older are all committed. */
const LAG = "interval '5 minutes'";

/** The last time until which entries are added up. */
const NEWEST = `SELECT day, counted_until, user_groups FROM usage_day
  WHERE ${TENANT} AND counted_until IS NOT NULL ORDER BY day DESC LIMIT 1`;

const DAYS: Statement = {
  name: "audit_days",
  access: "read",
  isSearch: true,
  text: `SELECT to_char(day, 'YYYY-MM-DD') AS date, sum(count)::integer AS count FROM (
      SELECT day, changes AS count FROM usage_day WHERE ${TENANT} AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date
      UNION ALL
      SELECT ${DAY}, 1 FROM audit_entry WHERE ${TENANT} AND action = ANY ($4::text[])
        AND created_at >= greatest($3::timestamptz, (SELECT counted_until FROM (${NEWEST}) AS newest))
    ) AS changed GROUP BY day HAVING sum(count) > 0`,
};

/** Largest `Int` of GraphQL, about 25,000 calls per second. */
const MAX_INT = 2_147_483_647;

const USAGE_DAYS: Statement = {
  name: "usage_days",
  access: "read",
  isSearch: true,
  text: `WITH newest AS MATERIALIZED (${NEWEST})
    SELECT to_char(day, 'YYYY-MM-DD') AS date, sum(existing)::integer AS existing, sum(added)::integer AS added,
      sum(sessions)::integer AS "embedSessions",
      least(sum(calls), ${MAX_INT})::integer AS calls, least(sum(errors), ${MAX_INT})::integer AS errors
    FROM (
      SELECT (now() AT TIME ZONE 'UTC')::date AS day, coalesce((SELECT user_groups + (
          SELECT coalesce(sum(${ADDED}), 0) FROM audit_entry WHERE ${TENANT} AND created_at >= newest.counted_until
            AND action IN ('user_group.created', 'user_group.deleted')) FROM newest),
        (SELECT count(*) FROM user_group WHERE ${TENANT})) AS existing, 0 AS added, 0 AS sessions, 0 AS calls, 0 AS errors
      UNION ALL
      SELECT day, 0, added, coalesce(embed_sessions, 0), 0, 0 FROM usage_day
      WHERE ${TENANT} AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date
      UNION ALL
      SELECT ${DAY}, 0, ${ADDED}, 0, 0, 0 FROM audit_entry
      WHERE ${TENANT} AND created_at >= greatest($3::timestamptz, (SELECT counted_until FROM newest))
        AND action IN ('user_group.created', 'user_group.deleted')
      UNION ALL
      SELECT day, 0, 0, count, 0, 0 FROM embed_session_count
      WHERE ${TENANT} AND day >= greatest(($3::timestamptz AT TIME ZONE 'UTC')::date, 1 + (
        SELECT max(day) FROM usage_day WHERE ${TENANT} AND embed_sessions IS NOT NULL))
      UNION ALL
      SELECT day, 0, 0, 0, calls, errors FROM request_count
      WHERE ${TENANT} AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date
    ) AS used GROUP BY day`,
};

const LOCK: Statement = {
  name: "usage_days_lock",
  access: "write",
  text: "SELECT pg_try_advisory_xact_lock(hashtextextended('usage_day ' || $1::integer || $2::text, 0)) AS locked",
};

// The groups are counted anew when a day begins, so that an entry that was not seen in time does not make a lasting difference.
const ADD_UP: Statement = {
  name: "usage_days_add_up",
  access: "write",
  text: `WITH newest AS MATERIALIZED (${NEWEST}),
    start AS MATERIALIZED (SELECT coalesce((SELECT counted_until FROM newest), '-infinity') AS since),
    bound AS MATERIALIZED (
      SELECT since, least(date_trunc('milliseconds', now() - ${LAG}), (SELECT created_at FROM audit_entry
        WHERE ${TENANT} AND created_at >= since ORDER BY created_at OFFSET ${MAX_ADDED} LIMIT 1)) AS until
      FROM start WHERE (SELECT created_at FROM audit_entry WHERE ${TENANT} AND created_at >= since
        ORDER BY created_at OFFSET ${MAX_PENDING} LIMIT 1) < now() - ${LAG}),
    pending AS MATERIALIZED (
      SELECT ${DAY} AS day, count(*) FILTER (WHERE action = ANY ($3::text[])) AS changes, sum(${ADDED}) AS added
      FROM audit_entry, bound WHERE ${TENANT} AND created_at >= since AND created_at < until GROUP BY 1),
    total AS MATERIALIZED (
      SELECT until, CASE
        WHEN until < date_trunc('milliseconds', now() - ${LAG}) THEN NULL
        WHEN newest.user_groups IS NULL OR (until AT TIME ZONE 'UTC')::date > newest.day
          THEN (SELECT count(*) FROM user_group WHERE ${TENANT}) - (SELECT coalesce(sum(${ADDED}), 0) FROM audit_entry
            WHERE ${TENANT} AND created_at >= until AND action IN ('user_group.created', 'user_group.deleted'))
        ELSE newest.user_groups + (SELECT coalesce(sum(added), 0) FROM pending) END AS user_groups
      FROM bound LEFT JOIN newest ON true)
    INSERT INTO usage_day (account_id, environment, day, changes, added, counted_until, user_groups)
    SELECT $1, $2, day, sum(changes), sum(added), until, user_groups
    FROM total, (SELECT * FROM pending UNION ALL SELECT (until AT TIME ZONE 'UTC')::date, 0, 0 FROM bound) AS counted
    GROUP BY day, until, user_groups
    ON CONFLICT (account_id, environment, day) DO UPDATE SET changes = usage_day.changes + excluded.changes,
      added = usage_day.added + excluded.added, counted_until = excluded.counted_until, user_groups = excluded.user_groups
    RETURNING 1`,
};

const ADD_UP_SESSIONS: Statement = {
  name: "usage_days_add_up_sessions",
  access: "write",
  text: `WITH start AS MATERIALIZED (
      SELECT coalesce((SELECT max(day) + 1 FROM usage_day WHERE ${TENANT} AND embed_sessions IS NOT NULL),
        (SELECT min(day) FROM embed_session_count WHERE ${TENANT})) AS first),
    period AS MATERIALIZED (
      SELECT first, least(first + ${MAX_DAYS - 1}, ((now() - ${LAG}) AT TIME ZONE 'UTC')::date - 1) AS last FROM start
      WHERE EXISTS (SELECT FROM embed_session_count WHERE ${TENANT} AND day >= first OFFSET ${MAX_PENDING}))
    INSERT INTO usage_day (account_id, environment, day, changes, added, embed_sessions)
    SELECT $1, $2, day::date, 0, 0, (SELECT coalesce(sum(count), 0) FROM embed_session_count WHERE ${TENANT} AND day = days.day::date)
    FROM period, generate_series(first::timestamp, last, interval '1 day') AS days (day)
    ON CONFLICT (account_id, environment, day) DO UPDATE SET embed_sessions = excluded.embed_sessions
    RETURNING 1`,
};

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

/** Adds up audit entries and embed sessions by day if there are many that are not, so that reading the usage takes few blocks. */
export async function addUpUsage(db: TenantDb): Promise<void> {
  await db.transaction(async (transaction) => {
    const [lock] = await transaction.run<{ locked: boolean }>(LOCK, []);
    if (!lock?.locked) return;
    await transaction.run(ADD_UP, [CHANGES]);
    await transaction.run(ADD_UP_SESSIONS, []);
  });
}
