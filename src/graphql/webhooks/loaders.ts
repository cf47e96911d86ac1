import { defineBatchLoader } from "../shared/loaders.js";

export const webhookEndpointsById = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.endpoints.byIds(tenant, keys),
);

export const webhookDeliveriesById = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.deliveries.byIds(tenant, keys),
);

export const pendingDeliveryCounts = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.webhooks.countPending(tenant, keys),
);
