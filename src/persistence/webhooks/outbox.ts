import type { Environment } from "../../domain/accounts/environment.js";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: claims lock rows with SKIP LOCKED, and plans must read in the order of an index, whatever the statistics.
//
// Claims take only the first pending delivery of each subject of an endpoint, so that events about it are sent in order. Of these, the ones
// that have been due for longest come first. Each poll finds the first due and the first pending delivery of each endpoint, and claims search
// from there: before them are only index entries of completed deliveries, which remain as long as an older transaction is open.

const CAN_RECEIVE = `endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
        AND coalesce(endpoint.paused_until <= now(), true)`;

export const BELONGS_TO_ENDPOINT = `delivery.account_id = endpoint.account_id AND delivery.environment = endpoint.environment
        AND delivery.endpoint_id = endpoint.id`;

export const IS_DUE = "delivery.state = 'pending' AND delivery.next_attempt_at <= now()";

/**
 * Returns a condition that is true for the first pending delivery of a subject. Its subquery reads `webhook_delivery_order_ix` from the
 * column `first_pending_id` on, or from the start for deliveries before it, which were replayed or committed since it was read.
 * @param account SQL of the account: Citus refuses a statement for one account in which a subquery takes it from another table
 */
export const isFirstOfSubject = (account: string) => `delivery.id = (
          SELECT earlier.id FROM webhook_delivery AS earlier
          WHERE earlier.account_id = ${account} AND earlier.environment = delivery.environment
            AND earlier.endpoint_id = delivery.endpoint_id AND earlier.state = 'pending'
            AND (earlier.subject, earlier.id) >=
              (delivery.subject, CASE WHEN delivery.id < first_pending_id THEN 0 ELSE first_pending_id END)
          ORDER BY earlier.subject, earlier.id LIMIT 1)`;

/** Endpoints with due deliveries. @param ofAccounts condition on `account_id` of endpoints and of deliveries, for Citus */
const dueEndpoints = (
  ofAccounts: string,
) => `SELECT account_id AS "accountId", environment, endpoint.id AS "endpointId",
      consecutive_failures = 0 AND last_success_at IS NOT NULL AS "hasAnswered", paused_until IS NOT NULL AS "isProbed",
      first_due."dueAt", first_due.id, first_pending.id AS "firstPendingId"
    FROM webhook_endpoint AS endpoint
    CROSS JOIN LATERAL (
      SELECT next_attempt_at AS "dueAt", id FROM webhook_delivery AS delivery
      WHERE ${BELONGS_TO_ENDPOINT} AND ${IS_DUE} ${ofAccounts}
      ORDER BY next_attempt_at, id LIMIT 1
    ) AS first_due
    CROSS JOIN LATERAL (
      SELECT id FROM webhook_delivery AS delivery
      WHERE ${BELONGS_TO_ENDPOINT} AND state = 'pending' ${ofAccounts}
      ORDER BY id LIMIT 1
    ) AS first_pending
    WHERE ${CAN_RECEIVE} ${ofAccounts}
    ORDER BY random()`;

const DUE_ENDPOINTS: Statement = {
  name: "webhook_endpoints_due",
  access: "read",
  plan: "inIndexOrder",
  text: dueEndpoints(""),
};

const DUE_ENDPOINTS_OF_ACCOUNTS: Statement = {
  label: "webhook_endpoints_due_of_accounts",
  access: "read",
  plan: "inIndexOrder",
  text: dueEndpoints("AND account_id = ANY ($1::integer[])"),
};

const ACCOUNTS_BY_WORKER: Statement = {
  label: "accounts_by_worker",
  access: "read",
  text: `SELECT array_agg(account.id) AS "accountIds" FROM account
    JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('webhook_endpoint', account.id) GROUP BY groupid`,
};

/**
 * Returns a statement that claims deliveries of endpoints, except those that another process is claiming.
 * @param columns the columns of a `search`, a row of $4
 * @param chosen condition on a due `delivery` of the search's endpoint, and the order
 */
const claimOf = (name: string, columns: string, chosen: string): Statement => ({
  name,
  access: "write",
  plan: "inIndexOrder",
  text: `WITH claimable AS MATERIALIZED (
      SELECT delivery.place, delivery.due_at, endpoint.url, endpoint.secret_key_id,
        array_remove(ARRAY[endpoint.secret_ciphertext,
          CASE WHEN endpoint.previous_secret_expires_at > now() THEN endpoint.previous_secret_ciphertext END], NULL) AS secrets
      FROM jsonb_to_recordset($4::jsonb) AS search (${columns})
      JOIN webhook_endpoint AS endpoint ON endpoint.account_id = $1 AND endpoint.environment = $2
        AND endpoint.id = search.endpoint_id AND ${CAN_RECEIVE}
      CROSS JOIN LATERAL (
        SELECT delivery.ctid AS place, delivery.next_attempt_at AS due_at FROM webhook_delivery AS delivery
        WHERE delivery.account_id = $1 AND delivery.environment = $2 AND delivery.endpoint_id = search.endpoint_id
          AND ${IS_DUE} AND ${chosen}
        FOR UPDATE SKIP LOCKED
      ) AS delivery
    )
    UPDATE webhook_delivery AS delivery
    SET attempts = delivery.attempts + 1, next_attempt_at = now() + $3 * interval '1 millisecond'
    FROM claimable
    -- By place: PostgreSQL without statistics may read all of the tenant's deliveries to find some by ID.
    WHERE delivery.account_id = $1 AND delivery.environment = $2 AND delivery.ctid = claimable.place
    RETURNING delivery.account_id AS "accountId", delivery.environment, delivery.id,
      delivery.endpoint_id AS "endpointId", delivery.event_id AS "eventId", delivery.subject,
      delivery.payload::text AS payload, delivery.attempts,
      claimable.due_at AS "dueAt", delivery.next_attempt_at AS "leasedUntil",
      claimable.url, claimable.secret_key_id AS "secretKeyId", claimable.secrets`,
});

const CLAIM_DUE = claimOf(
  "webhook_deliveries_claim",
  "endpoint_id bigint, slots integer, due_at timestamptz, id bigint, first_pending_id bigint",
  `(delivery.next_attempt_at, delivery.id) >= (search.due_at, search.id) AND ${isFirstOfSubject("$1")}
        ORDER BY delivery.next_attempt_at, delivery.id LIMIT search.slots`,
);

// Finds the subject's first pending delivery before it checks that this one is due: it may be the former one, which is to be retried first.
const CLAIM_NEXT = claimOf(
  "webhook_deliveries_claim_next",
  "endpoint_id bigint, subject text, former_id bigint",
  `delivery.subject = search.subject AND delivery.ctid = (
          SELECT first.ctid FROM webhook_delivery AS first
          WHERE first.account_id = $1 AND first.environment = $2 AND first.endpoint_id = search.endpoint_id
            AND (first.subject, first.id) >= (search.subject, search.former_id) AND first.state = 'pending'
          ORDER BY first.subject, first.id LIMIT 1)`,
);

/** Position in the order in which an endpoint's deliveries are claimed. */
export type DuePosition = Pick<ClaimedDelivery, "dueAt" | "id">;

/** An endpoint with due deliveries, and the position of the first one. */
export interface DueEndpoint extends DuePosition {
  readonly accountId: number;
  readonly environment: Environment;
  readonly endpointId: number;
  /** Whether the last attempt succeeded. */
  readonly hasAnswered: boolean;
  /** Whether it was paused after repeated failures, so that it gets single attempts. */
  readonly isProbed: boolean;
  readonly firstPendingId: number;
}

/** A search for due deliveries of all subjects of an endpoint, from a position on. */
export interface DueSearch {
  readonly endpoint: DueEndpoint;
  /** Maximum number of deliveries. */
  readonly slots: number;
}

/** A search for the next delivery of one subject. */
export interface NextSearch {
  readonly endpointId: number;
  readonly subject: string;
  /** The subject's delivery whose attempt has ended. */
  readonly former: DuePosition;
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
    workers.map(({ accountIds }) => operator.run<DueEndpoint>(DUE_ENDPOINTS_OF_ACCOUNTS, [accountIds])),
  );
}

/** Claims due deliveries of a tenant for one attempt each; no other process claims them until the lease expires. */
export async function claimDue(
  db: TenantDb,
  searches: readonly DueSearch[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const rows = searches.map(({ endpoint: { endpointId, dueAt, id, firstPendingId }, slots }) => ({
    endpoint_id: endpointId,
    slots,
    due_at: dueAt,
    id,
    first_pending_id: firstPendingId,
  }));
  return claim(db, CLAIM_DUE, rows, leaseMs);
}

/** Like `claimDue`, for the next deliveries of subjects. A subject's former delivery is claimed again if it is due for a retry. */
export async function claimNext(
  db: TenantDb,
  searches: readonly NextSearch[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const rows = searches.map(({ endpointId, subject, former }) => ({
    endpoint_id: endpointId,
    subject,
    former_id: former.id,
  }));
  return claim(db, CLAIM_NEXT, rows, leaseMs);
}

type ClaimRow = Omit<ClaimedDelivery, "secrets"> & {
  readonly secretKeyId: string;
  readonly secrets: readonly Buffer[];
};

async function claim(
  db: TenantDb,
  statement: Statement,
  searches: readonly object[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const rows = await db.run<ClaimRow>(statement, [leaseMs, JSON.stringify(searches)]);
  return rows.map(({ secretKeyId, secrets, ...delivery }) => ({
    ...delivery,
    secrets: secrets.map((ciphertext) => ({ keyId: secretKeyId, ciphertext })),
  }));
}
