import type { Admin, Tenant } from "../../domain/accounts/caller.js";
import type { EncryptedToken, TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { requireVersion } from "../../domain/shared/expected-version.js";
import { issueWebhookSecret } from "../../domain/webhooks/attempt.js";
import { parseWebhookUrl } from "../../domain/webhooks/url.js";
import type {
  WebhookDelivery,
  WebhookDeliveryFilter,
  WebhookDeliverySortField,
  WebhookEndpoint,
  WebhookEndpointFields,
  WebhookEndpointFilter,
  WebhookEndpointSortField,
} from "../../domain/webhooks/webhook.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantTransaction } from "../../persistence/shared/tenant-db.js";
import {
  countPendingDeliveries,
  replayDelivery,
  replayFailedDeliveries,
  WEBHOOK_DELIVERY_LIST,
} from "../../persistence/webhooks/deliveries.js";
import {
  deleteWebhookEndpoint,
  insertWebhookEndpoint,
  isEndpointNameTaken,
  lockWebhookEndpoint,
  resumeWebhookEndpoint,
  setWebhookSecret,
  toWebhookEndpoint,
  updateWebhookEndpoint,
  WEBHOOK_ENDPOINT_LIST,
  type WebhookEndpointEntity,
} from "../../persistence/webhooks/endpoints.js";
import { insertTestEvent } from "../../persistence/webhooks/test-event.js";
import { StoredList } from "../shared/item-list.js";
import type { AttemptReport } from "./attempts.js";
import type { WebhookDispatcher } from "./dispatcher.js";
import type { WebhookTargets } from "./targets.js";

/** Maximum endpoints per environment: each change inserts one row per endpoint. */
const MAX_ENDPOINTS = 20;
/** Maximum deliveries that one call replays. */
export const MAX_REPLAYS = 500;
/** How long webhooks are also signed with the previous secret, so that receivers can switch. */
const GRACE_SECONDS = 86_400;

/** An endpoint and its secret, which is shown only once. */
export interface IssuedSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** The delivery of a test event, and how its attempt went; null if none was made. */
export interface SentTestEvent {
  readonly delivery: WebhookDelivery;
  readonly attempt: AttemptReport | null;
}

/** Manages the webhook endpoints of an environment and their deliveries. */
export class WebhookService {
  readonly endpoints: StoredList<WebhookEndpoint, WebhookEndpointFilter, WebhookEndpointSortField>;
  readonly deliveries: StoredList<WebhookDelivery, WebhookDeliveryFilter, WebhookDeliverySortField>;

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly targets: WebhookTargets,
    private readonly dispatcher: WebhookDispatcher,
  ) {
    this.endpoints = new StoredList(db, WEBHOOK_ENDPOINT_LIST);
    this.deliveries = new StoredList(db, WEBHOOK_DELIVERY_LIST);
  }

  /** @throws DomainError `invalid_field` if the URL is invalid, the name is taken or there are too many endpoints */
  async create(admin: Admin, fields: WebhookEndpointFields): Promise<IssuedSecret> {
    const url = await this.#checkUrl(fields.url);
    const secret = issueWebhookSecret();
    const endpoint = await this.db.for(admin).transaction(async (transaction) => {
      await requireFreeName(transaction, fields.name);
      return insertWebhookEndpoint(transaction, { ...fields, url }, MAX_ENDPOINTS, (id) =>
        this.#encrypt(admin, id, secret),
      );
    });
    if (endpoint) return { endpoint, secret };
    throw new DomainError(
      "invalid_field",
      `An environment can have at most ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`,
    );
  }

  /** Updates the fields that are present. @throws DomainError `webhook_endpoint_not_found`, `version_conflict`; `invalid_field` for the URL or a taken name */
  async update(
    admin: Admin,
    id: number,
    changes: Partial<WebhookEndpointFields>,
    expectedVersion: number | undefined,
  ): Promise<WebhookEndpoint> {
    const url = changes.url === undefined ? {} : { url: await this.#checkUrl(changes.url) };
    return this.#change(admin, id, async (transaction, endpoint) => {
      requireVersion("webhook endpoint", endpoint.editVersion, expectedVersion);
      const { name = endpoint.name } = changes;
      if (name !== endpoint.name) await requireFreeName(transaction, name);
      return updateWebhookEndpoint(transaction, endpoint, { ...changes, ...url });
    });
  }

  /** Rotates the secret; for a day, webhooks are also signed with the old one. @throws DomainError `webhook_endpoint_not_found` */
  async rotateSecret(admin: Admin, id: number): Promise<IssuedSecret> {
    const secret = issueWebhookSecret();
    const encrypted = this.#encrypt(admin, id, secret);
    return this.#change(admin, id, async (transaction, endpoint) => {
      await setWebhookSecret(transaction, endpoint, encrypted, GRACE_SECONDS);
      return { endpoint: toWebhookEndpoint(endpoint), secret };
    });
  }

  /** Hides the endpoint and its deliveries; a purge deletes both later. @throws DomainError `webhook_endpoint_not_found`, `version_conflict` */
  async delete(admin: Admin, id: number, expectedVersion: number | undefined): Promise<void> {
    await this.#change(admin, id, async (transaction, endpoint) => {
      requireVersion("webhook endpoint", endpoint.editVersion, expectedVersion);
      await deleteWebhookEndpoint(transaction, endpoint);
    });
  }

  /**
   * Delivers again, at once, and ends a pause of the endpoint. A pending delivery that may be in progress is returned unchanged.
   * @throws DomainError `webhook_delivery_not_found`
   */
  async replay(admin: Admin, id: number): Promise<WebhookDelivery> {
    return this.db.for(admin).transaction(async (transaction) => {
      // Deliveries before their endpoint, in the order in which attempts lock them.
      const delivery = await replayDelivery(transaction, id, this.dispatcher.options.leaseMs);
      if (delivery) {
        await resumeWebhookEndpoint(transaction, delivery.endpointId);
        return delivery;
      }
      throw new DomainError("webhook_delivery_not_found", "No webhook delivery has this ID.", {
        field: ["id"],
      });
    });
  }

  /**
   * Replays the oldest deliveries of an endpoint whose last attempt failed, like `replay`.
   * @returns also their number, at most `MAX_REPLAYS`
   * @throws DomainError `webhook_endpoint_not_found`
   */
  async replayFailed(admin: Admin, endpointId: number) {
    return this.db.for(admin).transaction(async (transaction) => {
      const replayedCount = await replayFailedDeliveries(
        transaction,
        endpointId,
        this.dispatcher.options.leaseMs,
        MAX_REPLAYS,
      );
      const endpoint = await resumeWebhookEndpoint(transaction, endpointId);
      if (!endpoint) throw endpointNotFound();
      return { endpoint, replayedCount };
    });
  }

  /**
   * Sends a test event to an endpoint, past a pause, and waits for the outcome, unless the request is idempotent. A process that delivers no
   * webhooks leaves it to the others. While an earlier one is being sent or queued, that one is returned.
   * @throws DomainError `webhook_endpoint_not_found`; `invalid_field` if the endpoint is disabled
   */
  async sendTest(admin: Admin, endpointId: number): Promise<SentTestEvent> {
    const leaseMs = this.dispatcher.isRunning ? this.dispatcher.options.leaseMs : null;
    const stored = await this.#change(admin, endpointId, (transaction, endpoint) =>
      insertTestEvent(transaction, endpoint, leaseMs),
    );
    if (stored === "disabled") {
      throw invalidField(["id"], "must be the ID of an enabled endpoint; enable this one first");
    }
    const { delivery, claim } = stored;
    if (!claim) return { delivery, attempt: null };
    if (admin.transaction) {
      // An idempotent request holds a connection, and stores its reply, until it commits.
      admin.transaction.afterCommit(() => void this.dispatcher.attempt(claim));
      return { delivery, attempt: null };
    }
    const attempt = await this.dispatcher.attempt(claim);
    const [sent] = await this.deliveries.byIds(admin, [delivery.id]);
    return { delivery: sent ?? delivery, attempt };
  }

  /** Returns the number of pending deliveries per endpoint, in the order of the IDs, capped at 1000. */
  async countPending(tenant: Tenant, endpointIds: readonly number[]): Promise<number[]> {
    const counts = await countPendingDeliveries(this.db.for(tenant), endpointIds);
    return endpointIds.map((id) => counts.get(id) ?? 0);
  }

  /** Changes an endpoint in a transaction that locks it. @throws DomainError `webhook_endpoint_not_found` */
  async #change<T>(
    admin: Admin,
    id: number,
    change: (transaction: TenantTransaction, endpoint: WebhookEndpointEntity) => Promise<T>,
  ): Promise<T> {
    return this.db.for(admin).transaction(async (transaction) => {
      const endpoint = await lockWebhookEndpoint(transaction, id);
      if (!endpoint) throw endpointNotFound();
      return change(transaction, endpoint);
    });
  }

  #encrypt({ accountId, tokenKeyId }: Admin, id: number, secret: string): EncryptedToken {
    return this.vault.encrypt(secret, { accountId, id, kind: "webhookEndpoint" }, tokenKeyId);
  }

  /** Returns the normalized URL. @throws DomainError `invalid_field` */
  async #checkUrl(text: string): Promise<string> {
    const url = parseWebhookUrl(text, this.targets.allowPrivate);
    try {
      await this.targets.addressesOf(new URL(url));
    } catch (error) {
      // Accept a hostname that does not resolve yet: each delivery resolves and checks it again.
      if (error instanceof DomainError)
        throw invalidField(
          ["url"],
          "must not resolve to a private or reserved address (for development, WEBHOOK_ALLOW_PRIVATE=true allows it)",
        );
    }
    return url;
  }
}

/** Locks the endpoints. @throws DomainError `invalid_field`: files identify endpoints by name */
async function requireFreeName(transaction: TenantTransaction, name: string): Promise<void> {
  if (await isEndpointNameTaken(transaction, name))
    throw invalidField(["name"], "must not be that of another webhook endpoint; choose another one");
}

function endpointNotFound(): DomainError {
  return new DomainError("webhook_endpoint_not_found", "No webhook endpoint has this ID.", {
    field: ["id"],
  });
}
