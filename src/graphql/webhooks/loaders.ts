import { defineBatchLoader } from "../shared/loaders.js";

export const loadWebhookEndpoint = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.endpoints.byIds(tenant, keys),
);

export const loadWebhookDelivery = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.deliveries.byIds(tenant, keys),
);

export const countPendingDeliveries = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.countPending(tenant, keys),
);
