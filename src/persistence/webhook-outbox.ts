import type { Environment } from "../domain/environment.js";
import type { ClaimedDelivery, WebhookDeliveryState } from "../domain/webhook.js";
import type { Queryable } from "./statement.js";

const SAME_ENDPOINT = `delivery.account_id = endpoint.account_id AND delivery.environment = endpoint.environment
  AND delivery.endpoint_id = endpoint.id`;

/**
 * Endpoints come in any order, so that no backlog keeps the others waiting; each gives as many as it may still have under way. A
 * delivery waits for the earlier ones of its subject; that they are looked for one by one keeps the planner from joining the whole
 * backlog, and `<=` from expecting a single row, for which it would look at all of them and sort. What another process claims in this
 * moment is skipped.
 */
const CLAIM = {
  name: "webhook_deliveries_claim",
  text: `WITH due AS MATERIALIZED (
      SELECT delivery.account_id, delivery.environment, delivery.id, endpoint.url, endpoint.secret_key_id,
        array_remove(ARRAY[endpoint.secret_ciphertext,
          CASE WHEN endpoint.previous_secret_expires_at > now() THEN endpoint.previous_secret_ciphertext END], NULL) AS secrets
      FROM (
        SELECT webhook_endpoint.*, coalesce(busy.count, 0) AS under_way FROM webhook_endpoint
        LEFT JOIN unnest($3::integer[], $4::integer[]) AS busy (id, count) ON busy.id = webhook_endpoint.id
        WHERE disabled_at IS NULL ORDER BY random()
      ) AS endpoint
      CROSS JOIN LATERAL (
        SELECT account_id, environment, id FROM webhook_delivery AS delivery
        WHERE ${SAME_ENDPOINT} AND state = 'pending' AND next_attempt_at <= now()
          AND id <= (
            SELECT id FROM webhook_delivery AS first
            WHERE first.account_id = delivery.account_id AND first.environment = delivery.environment
              AND first.endpoint_id = delivery.endpoint_id AND first.subject = delivery.subject
              AND first.state = 'pending' ORDER BY id LIMIT 1)
        ORDER BY next_attempt_at, id LIMIT greatest($2 - endpoint.under_way, 0) FOR UPDATE SKIP LOCKED
      ) AS delivery
      LIMIT $1
    )
    UPDATE webhook_delivery AS delivery
    SET attempts = delivery.attempts + 1, next_attempt_at = now() + $5 * interval '1 millisecond'
    FROM due
    WHERE delivery.account_id = due.account_id AND delivery.environment = due.environment AND delivery.id = due.id
    RETURNING delivery.account_id AS "accountId", delivery.environment, delivery.id::double precision AS id,
      delivery.endpoint_id AS "endpointId", delivery.event_id AS "eventId", delivery.payload::text AS payload,
      delivery.attempts, delivery.next_attempt_at AS "leasedUntil", due.url, due.secret_key_id AS "secretKeyId", due.secrets`,
};

// Only while the lease is ours: after that, another process decides.
const SETTLE = {
  name: "webhook_delivery_settle",
  text: `UPDATE webhook_delivery SET state = $5, last_status = $6, last_error = $7,
      next_attempt_at = now() + $8 * interval '1 millisecond',
      delivered_at = CASE WHEN $5::webhook_delivery_state = 'delivered' THEN now() END
    WHERE account_id = $1 AND environment = $2 AND id = $3 AND state = 'pending' AND next_attempt_at = $4`,
};

const DISABLE = {
  name: "webhook_endpoint_disable",
  text: `UPDATE webhook_endpoint SET disabled_at = coalesce(disabled_at, now())
    WHERE account_id = $1 AND environment = $2 AND id = $3`,
};

const FORGET = {
  name: "webhook_deliveries_forget",
  text: `DELETE FROM webhook_delivery WHERE state <> 'pending' AND created_at < now() - $1 * interval '1 day'`,
};

/** How many deliveries of an endpoint are counted at most: a backlog may be long, and whoever counts it asks often. */
const MOST_COUNTED = 1000;

// What waits for an earlier delivery of its subject may be long past its time, without anything being late.
const STATE = {
  name: "webhook_outbox_state",
  text: `SELECT coalesce(sum(waiting.due), 0)::integer AS due,
      coalesce(extract(epoch FROM now() - min(waiting.since)), 0)::double precision AS "lateSeconds"
    FROM webhook_endpoint AS endpoint
    CROSS JOIN LATERAL (
      SELECT count(*) AS due, min(next_attempt_at) FILTER (WHERE is_first) AS since FROM (
        SELECT next_attempt_at, id <= (
            SELECT id FROM webhook_delivery AS first
            WHERE first.account_id = delivery.account_id AND first.environment = delivery.environment
              AND first.endpoint_id = delivery.endpoint_id AND first.subject = delivery.subject
              AND first.state = 'pending' ORDER BY id LIMIT 1) AS is_first
        FROM webhook_delivery AS delivery
        WHERE ${SAME_ENDPOINT} AND state = 'pending' AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT ${MOST_COUNTED}
      ) AS delivery
    ) AS waiting
    WHERE endpoint.disabled_at IS NULL`,
};

/** What is to be sent, of all accounts. */
export interface OutboxState {
  /** How many deliveries are due; of each endpoint a thousand are counted at most. */
  readonly due: number;
  /** How long the one that waits longest could have been sent. */
  readonly lateSeconds: number;
}

/** What became of an attempt. */
export interface SettledAttempt {
  readonly state: WebhookDeliveryState;
  readonly status: number | null;
  readonly error: string | null;
  /** When the next attempt may be made, from now. */
  readonly waitMs: number;
}

export interface ClaimOptions {
  /** How many deliveries at most. */
  readonly count: number;
  /** How many of one endpoint may be under way in this process. */
  readonly perEndpoint: number;
  /** How many are under way now, by endpoint. */
  readonly underWay: ReadonlyMap<number, number>;
  readonly leaseMs: number;
}

/** Takes deliveries that are due, of all accounts, for an attempt each; until the lease is over, nobody else takes them. */
export async function claimDeliveries(
  operator: Queryable,
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { count, perEndpoint, underWay, leaseMs } = options;
  const rows = await operator.run<
    Omit<ClaimedDelivery, "secrets"> & { readonly secretKeyId: string; readonly secrets: readonly Buffer[] }
  >(CLAIM, [count, perEndpoint, [...underWay.keys()], [...underWay.values()], leaseMs]);
  return rows.map(({ secretKeyId, secrets, ...claim }) => ({
    ...claim,
    secrets: secrets.map((ciphertext) => ({ keyId: secretKeyId, ciphertext })),
  }));
}

export async function readOutboxState(operator: Queryable): Promise<OutboxState> {
  const [state = { due: 0, lateSeconds: 0 }] = await operator.run<OutboxState>(STATE, []);
  return state;
}

/** Writes down what became of an attempt, unless its lease is over. */
export async function settleDelivery(
  db: Queryable,
  { accountId, environment, id, leasedUntil }: ClaimedDelivery,
  { state, status, error, waitMs }: SettledAttempt,
): Promise<void> {
  await db.run(SETTLE, [accountId, environment, id, leasedUntil, state, status, error, waitMs]);
}

/** Sends nothing more to an endpoint. */
export async function disableWebhookEndpoint(
  db: Queryable,
  endpoint: {
    readonly accountId: number;
    readonly environment: Environment;
    readonly endpointId: number;
  },
): Promise<void> {
  await db.run(DISABLE, [endpoint.accountId, endpoint.environment, endpoint.endpointId]);
}

/** Removes deliveries of all accounts that are over and older than so many days. */
export async function forgetDeliveries(operator: Queryable, days: number): Promise<void> {
  await operator.run(FORGET, [days]);
}
