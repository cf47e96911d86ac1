import type { ApiKey } from "../../domain/accounts/api-key.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const apiKeysById = defineBatchLoader<number, ApiKey | null>(({ services, tenant }, keys) =>
  services.apiKeys.byIds(tenant, keys),
);
