import type { Admin, Tenant } from "../../domain/accounts/caller.js";
import type { EncryptedToken, TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
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
  WEBHOOK_DELIVERY_LIST,
} from "../../persistence/webhooks/deliveries.js";
import {
  deleteWebhookEndpoint,
  insertWebhookEndpoint,
  lockWebhookEndpoint,
  setWebhookSecret,
  toWebhookEndpoint,
  updateWebhookEndpoint,
  WEBHOOK_ENDPOINT_LIST,
  type WebhookEndpointEntity,
} from "../../persistence/webhooks/endpoints.js";
import { insertTestEvent } from "../../persistence/webhooks/test-event.js";
import { StoredList } from "../shared/item-list.js";
import type { WebhookTargets } from "./targets.js";

/** Maximum endpoints per environment: each change inserts one row per endpoint. */
const MAX_ENDPOINTS = 20;
/** How long webhooks are also signed with the previous secret, so that receivers can switch. */
const GRACE_SECONDS = 86_400;

/** An endpoint and its secret, which is shown only once. */
export interface IssuedSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** Manages the webhook endpoints of an environment and their deliveries. */
export class WebhookService {
  readonly endpoints: StoredList<WebhookEndpoint, WebhookEndpointFilter, WebhookEndpointSortField>;
  readonly deliveries: StoredList<WebhookDelivery, WebhookDeliveryFilter, WebhookDeliverySortField>;

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly targets: WebhookTargets,
  ) {
    this.endpoints = new StoredList(db, WEBHOOK_ENDPOINT_LIST);
    this.deliveries = new StoredList(db, WEBHOOK_DELIVERY_LIST);
  }

  /** @throws DomainError `invalid_field` if the URL is invalid or there are too many endpoints */
  async create(admin: Admin, fields: Omit<WebhookEndpointFields, "enabled">): Promise<IssuedSecret> {
    const url = await this.#checkUrl(fields.url);
    const secret = issueWebhookSecret();
    const endpoint = await this.db
      .for(admin)
      .transaction((transaction) =>
        insertWebhookEndpoint(transaction, { ...fields, url }, MAX_ENDPOINTS, (id) =>
          this.#encrypt(admin, id, secret),
        ),
      );
    if (endpoint) return { endpoint, secret };
    throw new DomainError(
      "invalid_field",
      `An environment can have at most ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`,
    );
  }

  /** Updates the fields that are present. @throws DomainError `webhook_endpoint_not_found`; `invalid_field` for the URL */
  async update(admin: Admin, id: number, changes: Partial<WebhookEndpointFields>): Promise<WebhookEndpoint> {
    const url = changes.url === undefined ? {} : { url: await this.#checkUrl(changes.url) };
    return this.#change(admin, id, (transaction, endpoint) =>
      updateWebhookEndpoint(transaction, endpoint, { ...changes, ...url }),
    );
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

  /** Hides the endpoint and its deliveries; a purge deletes both later. @throws DomainError `webhook_endpoint_not_found` */
  async delete(admin: Admin, id: number): Promise<void> {
    await this.#change(admin, id, deleteWebhookEndpoint);
  }

  /** Redelivers a finished delivery; a pending one is returned unchanged. @throws DomainError `webhook_delivery_not_found` */
  async replay(admin: Admin, id: number): Promise<WebhookDelivery> {
    const replayed = await replayDelivery(this.db.for(admin), id);
    const [delivery] = replayed ? [replayed] : await this.deliveries.byIds(admin, [id]);
    if (delivery) return delivery;
    throw new DomainError("webhook_delivery_not_found", "No webhook delivery has this ID.", {
      field: ["id"],
    });
  }

  /**
   * Sends a test event to an endpoint. While an earlier one is pending, that one is returned.
   * @throws DomainError `webhook_endpoint_not_found`; `invalid_field` if the endpoint is disabled
   */
  async sendTest(admin: Admin, endpointId: number): Promise<WebhookDelivery> {
    const delivery = await this.#change(admin, endpointId, insertTestEvent);
    if (delivery === "disabled") {
      throw invalidField(["id"], "must be the ID of an enabled endpoint; enable this one first");
    }
    return delivery;
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

function endpointNotFound(): DomainError {
  return new DomainError("webhook_endpoint_not_found", "No webhook endpoint has this ID.", {
    field: ["id"],
  });
}
