import type { Connection } from "./connection.js";
import {
  CreateWebhookEndpointDocument,
  type CreateWebhookEndpointInput,
  DeleteWebhookEndpointDocument,
  ReplayWebhookDeliveryDocument,
  RotateWebhookSecretDocument,
  SendTestWebhookDocument,
  UpdateWebhookEndpointDocument,
  type UpdateWebhookEndpointInput,
  WebhookDeliveriesDocument,
  type WebhookDeliveryFieldsFragment,
  type WebhookDeliveryFilter,
  type WebhookEndpointFieldsFragment,
  type WebhookEndpointFilter,
  WebhookEndpointsDocument,
} from "./generated/operations.js";
import { requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions, DeletionOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";

/** A webhook endpoint without its secret. */
export type WebhookEndpoint = WebhookEndpointFieldsFragment;

/** The delivery of an event to an endpoint. */
export type WebhookDelivery = WebhookDeliveryFieldsFragment;

export interface WebhookEndpointListOptions extends ListOptions {
  readonly filter?: WebhookEndpointFilter | undefined;
}

export interface WebhookDeliveryListOptions extends ListOptions {
  readonly filter?: WebhookDeliveryFilter | undefined;
}

/** An endpoint, and its signing secret, which cannot be read later. */
export interface IssuedWebhookSecret {
  readonly webhookEndpoint: WebhookEndpoint;
  /** For `verifyWebhook`. */
  readonly secret: string;
}

/** Webhook endpoints of the environment and their deliveries. All calls need a key with admin scope; IDs are global IDs. */
export class Webhooks {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Iterates over all matching endpoints, page by page. */
  list(options: WebhookEndpointListOptions = {}): AsyncGenerator<WebhookEndpoint, void, undefined> {
    const { filter, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) =>
      this.#connection.run(
        WebhookEndpointsDocument,
        { first, after, filter },
        call,
        (data) => data.webhookEndpoints,
      );
    return paginate(read, pageSize);
  }

  async create(input: CreateWebhookEndpointInput, options?: CallOptions): Promise<IssuedWebhookSecret> {
    return this.#connection.mutate(CreateWebhookEndpointDocument, { input }, options, (data, response) => ({
      webhookEndpoint: requireValue(data.createWebhookEndpoint, "webhookEndpoint", response),
      secret: requireValue(data.createWebhookEndpoint, "secret", response),
    }));
  }

  /** Updates the given fields. @throws NotFoundError; ConflictError if the version is not `expectedVersion` */
  async update(input: UpdateWebhookEndpointInput, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#connection.mutate(UpdateWebhookEndpointDocument, { input }, options, (data, response) =>
      requireValue(data.updateWebhookEndpoint, "webhookEndpoint", response),
    );
  }

  /** Replaces the secret; for a day, events are signed with the old one as well. @throws NotFoundError */
  async rotateSecret(id: string, options?: CallOptions): Promise<IssuedWebhookSecret> {
    return this.#connection.mutate(
      RotateWebhookSecretDocument,
      { input: { id } },
      options,
      (data, response) => ({
        webhookEndpoint: requireValue(data.rotateWebhookSecret, "webhookEndpoint", response),
        secret: requireValue(data.rotateWebhookSecret, "secret", response),
      }),
    );
  }

  /** Deletes an endpoint and its deliveries. @throws NotFoundError; ConflictError if the version is not `expectedVersion` */
  async delete(id: string, options: DeletionOptions = {}): Promise<void> {
    const { expectedVersion, ...call } = options;
    const input = { id, expectedVersion };
    return this.#connection.mutate(DeleteWebhookEndpointDocument, { input }, call, (data, response) =>
      requireSuccess(data.deleteWebhookEndpoint.userErrors, response),
    );
  }

  /**
   * Sends a test event, `webhook_endpoint.test`, and waits for its outcome. While an earlier one is being sent, that one is returned.
   * @throws NotFoundError; InvalidRequestError if the endpoint is disabled
   */
  async sendTest(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#connection.mutate(SendTestWebhookDocument, { input: { id } }, options, (data, response) =>
      requireValue(data.sendTestWebhook, "webhookDelivery", response),
    );
  }

  /** Iterates over all matching deliveries, newest first. */
  deliveries(options: WebhookDeliveryListOptions = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    const { filter, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) =>
      this.#connection.run(
        WebhookDeliveriesDocument,
        { first, after, filter },
        call,
        (data) => data.webhookDeliveries,
      );
    return paginate(read, pageSize);
  }

  /** Delivers again, also a delivery that waits for a retry. One that may be in progress is returned unchanged. @throws NotFoundError */
  async replay(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#connection.mutate(
      ReplayWebhookDeliveryDocument,
      { input: { id } },
      options,
      (data, response) => requireValue(data.replayWebhookDelivery, "webhookDelivery", response),
    );
  }
}
