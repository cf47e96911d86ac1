import type { OutboxReading } from "../../telemetry/database-metrics.js";
import type { Queryable, Statement } from "../shared/statement.js";
import { BELONGS_TO_ENDPOINT, IS_DUE, isFirstOfSubject } from "./outbox.js";

// Raw SQL: aggregates of all accounts, whose plans must read in the order of an index.

/** Limits the cost of a scrape when an endpoint has a long backlog. */
const MAX_COUNTED = 1000;

// Deliveries that wait for an earlier one of their subject, or for a failing endpoint, do not count as late.
const STATE: Statement = {
  name: "webhook_outbox_state",
  access: "read",
  plan: "inIndexOrder",
  text: `SELECT coalesce(sum(due.count), 0)::integer AS due,
      coalesce(extract(epoch FROM now() - min(due.first_at) FILTER (WHERE consecutive_failures = 0)), 0)::double precision
        AS "lateSeconds",
      json_build_object(
        'unknown', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures = 0 AND last_success_at IS NULL),
        'healthy', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures = 0 AND last_success_at IS NOT NULL),
        'failing', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures > 0),
        'disabled', count(*) FILTER (WHERE disabled_at IS NOT NULL)) AS endpoints
    FROM webhook_endpoint AS endpoint
    LEFT JOIN LATERAL (
      SELECT id AS first_pending_id FROM webhook_delivery AS delivery
      WHERE ${BELONGS_TO_ENDPOINT} AND state = 'pending' ORDER BY id LIMIT 1
    ) AS first_pending ON true
    CROSS JOIN LATERAL (
      SELECT count(*) AS count, min(next_attempt_at) FILTER (WHERE is_first) AS first_at FROM (
        SELECT next_attempt_at, ${isFirstOfSubject("delivery.account_id")} AS is_first
        FROM webhook_delivery AS delivery
        WHERE endpoint.disabled_at IS NULL AND ${BELONGS_TO_ENDPOINT} AND ${IS_DUE}
        ORDER BY next_attempt_at, id LIMIT ${MAX_COUNTED}
      ) AS counted
    ) AS due
    WHERE endpoint.deleted_at IS NULL`,
};

/**
 * Number of transactions since the oldest snapshot, since which VACUUM removes nothing. Every role may read these columns, but not when a
 * transaction of another role began. VACUUM's own snapshots hold nothing back.
 */
const SNAPSHOT_AGE: Statement = {
  name: "database_snapshot_age",
  access: "read",
  text: `SELECT coalesce(max(age(xmin)), 0) AS "snapshotAge" FROM (
      SELECT backend_xmin AS xmin FROM pg_stat_activity WHERE coalesce(datname = current_database(), true)
        AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
      UNION ALL SELECT transaction FROM pg_prepared_xacts WHERE database = current_database()
      UNION ALL SELECT xmin FROM pg_replication_slots
    ) AS held`,
};

export async function readOutboxState(operator: Queryable): Promise<OutboxReading> {
  const [state] = await operator.run<Omit<OutboxReading, "snapshotAge">>(STATE, []);
  const [age] = await operator.run<Pick<OutboxReading, "snapshotAge">>(SNAPSHOT_AGE, []);
  if (!state || !age) throw new Error("PostgreSQL returned no outbox state.");
  return { ...state, ...age };
}
