import type { WebhookDelivery, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const webhookEndpointsById = defineBatchLoader<number, WebhookEndpoint | null>(
  ({ services, tenant }, keys) => services.webhooks.endpoints.byIds(tenant, keys),
);

export const webhookDeliveriesById = defineBatchLoader<number, WebhookDelivery | null>(
  ({ services, tenant }, keys) => services.webhooks.deliveries.byIds(tenant, keys),
);

export const pendingDeliveryCounts = defineBatchLoader<number, number>(({ services, tenant }, keys) =>
  services.webhooks.countPending(tenant, keys),
);
