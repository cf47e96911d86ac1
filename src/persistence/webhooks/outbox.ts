import type { Environment } from "../../domain/accounts/environment.js";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { OutboxReading } from "../../telemetry/database-metrics.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: claims with SKIP LOCKED.

const SAME_ENDPOINT = `delivery.account_id = endpoint.account_id AND delivery.environment = endpoint.environment
  AND delivery.endpoint_id = endpoint.id`;

const IS_DUE = "state = 'pending' AND next_attempt_at <= now()";

/**
 * Returns a condition that is true for the first pending delivery of a subject. The order is that of `webhook_delivery_order_ix`.
 * @param account the delivery's; Citus refuses a statement for one account in which a subquery takes it from another table
 * @param firstId SQL of the endpoint's first pending ID: the search passes no index entries of completed deliveries that PostgreSQL could
 * not remove because an old transaction is open. Before it are only deliveries that were replayed or committed since it was read.
 */
const isFirst = (account: string, firstId: string) => `id <= (
  SELECT id FROM webhook_delivery AS first
  WHERE first.account_id = ${account} AND first.environment = delivery.environment
    AND first.endpoint_id = delivery.endpoint_id
    AND (first.subject, first.id) >= (delivery.subject, CASE WHEN delivery.id < ${firstId} THEN 0 ELSE ${firstId} END)
    AND first.state = 'pending' ORDER BY first.subject, id LIMIT 1)`;

/** Selects the endpoint's first pending ID, in the order of `webhook_delivery_endpoint_pending_ix`. */
const firstPending = (within: string) => `SELECT id AS first_id FROM webhook_delivery AS delivery
      WHERE ${SAME_ENDPOINT} AND state = 'pending' ${within} ORDER BY id LIMIT 1`;

/**
 * LIMIT prevents a join of endpoints with the whole backlog; the order is that of `webhook_delivery_due_ix`.
 * @param within further condition on the accounts of endpoints and of deliveries
 */
const selectDue = (
  within: string,
) => `SELECT account_id AS "accountId", environment, endpoint.id AS "endpointId",
      consecutive_failures = 0 AND last_success_at IS NOT NULL AS "hasAnswered", paused_until IS NOT NULL AS "isProbed",
      first_id AS "firstId", NULL AS subject, due.*
    FROM webhook_endpoint AS endpoint
    CROSS JOIN LATERAL (
      SELECT next_attempt_at AS "dueAt", id FROM webhook_delivery AS delivery
      WHERE ${SAME_ENDPOINT} AND ${IS_DUE} ${within} ORDER BY next_attempt_at, id LIMIT 1
    ) AS due
    CROSS JOIN LATERAL (${firstPending(within)}) AS pending
    WHERE disabled_at IS NULL AND deleted_at IS NULL AND coalesce(paused_until <= now(), true) ${within}
    ORDER BY random()`;

const DUE_ENDPOINTS: Statement = {
  name: "webhook_endpoints_due",
  access: "read",
  plan: "inIndexOrder",
  text: selectDue(""),
};

const DUE_OF_ACCOUNTS: Statement = {
  label: "webhook_endpoints_due_of_accounts",
  access: "read",
  plan: "inIndexOrder",
  text: selectDue("AND account_id = ANY ($1::integer[])"),
};

const ACCOUNTS_BY_WORKER: Statement = {
  label: "accounts_by_worker",
  access: "read",
  text: `SELECT array_agg(account.id) AS "accountIds" FROM account
    JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('webhook_endpoint', account.id) GROUP BY groupid`,
};

/**
 * Claims deliveries of endpoints, except those that another process is claiming.
 * @param granted the values from $4, with the columns `id` of the endpoint and those that `due` refers to
 * @param due the places and times of an endpoint's deliveries, locked
 */
const claimOf = (name: string, granted: string, due: string): Statement => ({
  name,
  access: "write",
  plan: "inIndexOrder",
  text: `WITH due AS MATERIALIZED (
      SELECT delivery.place, delivery.next_attempt_at, endpoint.url, endpoint.secret_key_id,
        array_remove(ARRAY[endpoint.secret_ciphertext,
          CASE WHEN endpoint.previous_secret_expires_at > now() THEN endpoint.previous_secret_ciphertext END], NULL) AS secrets
      FROM ${granted}
      CROSS JOIN LATERAL (
        SELECT * FROM webhook_endpoint
        WHERE account_id = $1 AND environment = $2
          AND webhook_endpoint.id = granted.id AND disabled_at IS NULL AND deleted_at IS NULL
          AND coalesce(paused_until <= now(), true)
      ) AS endpoint
      CROSS JOIN LATERAL (
        SELECT ctid AS place, next_attempt_at FROM webhook_delivery AS delivery
        WHERE account_id = $1 AND environment = $2 AND delivery.endpoint_id = endpoint.id AND ${IS_DUE} AND ${due}
          FOR UPDATE SKIP LOCKED
      ) AS delivery
    )
    UPDATE webhook_delivery AS delivery
    SET attempts = delivery.attempts + 1, next_attempt_at = now() + $3 * interval '1 millisecond'
    FROM due
    -- By place: PostgreSQL without statistics may read all of the tenant's deliveries to find some by ID.
    WHERE delivery.account_id = $1 AND delivery.environment = $2 AND delivery.ctid = due.place
    RETURNING delivery.account_id AS "accountId", delivery.environment, delivery.id,
      delivery.endpoint_id AS "endpointId", delivery.event_id AS "eventId", delivery.subject,
      delivery.payload::text AS payload,
      delivery.attempts, due.next_attempt_at AS "dueAt", delivery.next_attempt_at AS "leasedUntil",
      due.url, due.secret_key_id AS "secretKeyId", due.secrets`,
});

const CLAIM_DUE = claimOf(
  "webhook_deliveries_claim",
  "unnest($4::bigint[], $5::integer[], $6::timestamptz[], $7::bigint[], $8::bigint[]) AS granted (id, slots, due_at, due_id, first_id)",
  `(next_attempt_at, id) >= (granted.due_at, granted.due_id) AND ${isFirst("$1", "granted.first_id")}
          ORDER BY next_attempt_at, id LIMIT granted.slots`,
);

// The delivery before is searched, too: while it is pending, the next one waits. The search passes none that completed earlier.
const CLAIM_NEXT = claimOf(
  "webhook_deliveries_claim_next",
  "unnest($4::bigint[], $5::text[], $6::bigint[]) AS granted (id, subject, after_id)",
  `subject = granted.subject AND ctid = (
          SELECT ctid FROM webhook_delivery AS next
          WHERE next.account_id = $1 AND next.environment = $2 AND next.endpoint_id = endpoint.id
            AND (next.subject, next.id) >= (granted.subject, granted.after_id) AND next.state = 'pending'
          ORDER BY next.subject, next.id LIMIT 1)`,
);

/** Limits the cost of a scrape when an endpoint has a long backlog. */
const MAX_COUNTED = 1000;

// Deliveries that wait for an earlier one of their subject, or for a failing endpoint, do not count as late.
const STATE: Statement = {
  name: "webhook_outbox_state",
  access: "read",
  plan: "inIndexOrder",
  text: `SELECT coalesce(sum(waiting.due), 0)::integer AS due,
      coalesce(extract(epoch FROM now() - min(waiting.since) FILTER (WHERE consecutive_failures = 0)), 0)::double precision
        AS "lateSeconds",
      json_build_object(
        'unknown', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures = 0 AND last_success_at IS NULL),
        'healthy', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures = 0 AND last_success_at IS NOT NULL),
        'failing', count(*) FILTER (WHERE disabled_at IS NULL AND consecutive_failures > 0),
        'disabled', count(*) FILTER (WHERE disabled_at IS NOT NULL)) AS endpoints
    FROM webhook_endpoint AS endpoint
    LEFT JOIN LATERAL (${firstPending("")}) AS pending ON true
    CROSS JOIN LATERAL (
      SELECT count(*) AS due, min(next_attempt_at) FILTER (WHERE is_first) AS since FROM (
        SELECT next_attempt_at, ${isFirst("delivery.account_id", "first_id")} AS is_first
        FROM webhook_delivery AS delivery
        WHERE endpoint.disabled_at IS NULL AND ${SAME_ENDPOINT} AND ${IS_DUE}
        ORDER BY next_attempt_at, id LIMIT ${MAX_COUNTED}
      ) AS delivery
    ) AS waiting
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

/** Position in the order in which an endpoint's deliveries are claimed. */
export type DuePosition = Pick<ClaimedDelivery, "dueAt" | "id">;

/**
 * An endpoint with due deliveries, and the first of them that this process may claim: searching from there passes no index entries that
 * PostgreSQL could not remove because an old transaction is open.
 */
export interface DueEndpoint extends DuePosition {
  readonly accountId: number;
  readonly environment: Environment;
  readonly endpointId: number;
  /** Whether the last attempt succeeded. */
  readonly hasAnswered: boolean;
  /** Whether it was paused after repeated failures, so that it gets single attempts. */
  readonly isProbed: boolean;
  /** The first pending delivery. */
  readonly firstId: number;
  /** Only the delivery after this position in this subject is to be claimed; null for those of all subjects. */
  readonly subject: string | null;
}

/** Maximum number of deliveries to claim for an endpoint. */
export interface ClaimGrant {
  readonly endpoint: DueEndpoint;
  readonly slots: number;
}

/** Finds endpoints of all accounts with due deliveries that are not paused, in random order for fairness. */
export async function findDueEndpoints(operator: Queryable): Promise<DueEndpoint[]> {
  return operator.run<DueEndpoint>(DUE_ENDPOINTS, []);
}

/** Like `findDueEndpoints`, on Citus with a statement for each worker, as one of them may be down. */
export async function findDueEndpointsByWorker(
  operator: Queryable,
): Promise<readonly PromiseSettledResult<DueEndpoint[]>[]> {
  const workers = await operator.run<{ accountIds: readonly number[] }>(ACCOUNTS_BY_WORKER, []);
  return Promise.allSettled(
    workers.map(({ accountIds }) => operator.run<DueEndpoint>(DUE_OF_ACCOUNTS, [accountIds])),
  );
}

/**
 * Claims due deliveries of a tenant for one attempt each; no other process claims them until the lease expires.
 * @param grants either all with a subject, or none
 */
export async function claimDeliveries(
  db: TenantDb,
  grants: readonly ClaimGrant[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const endpoints = grants.map(({ endpoint }) => endpoint);
  const subjects = endpoints.flatMap(({ subject }) => subject ?? []);
  const ids = endpoints.map(({ id }) => id);
  const rows = await db.run<
    Omit<ClaimedDelivery, "secrets"> & { readonly secretKeyId: string; readonly secrets: readonly Buffer[] }
  >(subjects.length > 0 ? CLAIM_NEXT : CLAIM_DUE, [
    leaseMs,
    endpoints.map(({ endpointId }) => endpointId),
    ...(subjects.length > 0
      ? [subjects, ids]
      : [
          grants.map(({ slots }) => slots),
          endpoints.map(({ dueAt }) => dueAt),
          ids,
          endpoints.map(({ firstId }) => firstId),
        ]),
  ]);
  return rows.map(({ secretKeyId, secrets, ...claim }) => ({
    ...claim,
    secrets: secrets.map((ciphertext) => ({ keyId: secretKeyId, ciphertext })),
  }));
}

export async function readOutboxState(operator: Queryable): Promise<OutboxReading> {
  const [state] = await operator.run<Omit<OutboxReading, "snapshotAge">>(STATE, []);
  const [age] = await operator.run<Pick<OutboxReading, "snapshotAge">>(SNAPSHOT_AGE, []);
  if (!state || !age) throw new Error("PostgreSQL returned no outbox state.");
  return { ...state, ...age };
}
