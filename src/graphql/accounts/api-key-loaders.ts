import type { Session } from "../shared/context.js";
import { defineBatchLoader } from "../shared/loaders.js";
import { ApiKeyView } from "./api-key-types.js";

export const loadApiKey = defineBatchLoader(({ services, tenant }, keys: readonly number[]) =>
  services.apiKeys.list.byIds(tenant, keys),
);

/** Loads the API key that made a change; null if there is none, it no longer exists, or the caller is not an admin. */
export async function loadAuthor(
  { caller, loaders }: Session,
  keyId: number | null,
): Promise<ApiKeyView | null> {
  if (keyId === null || caller.scope !== "admin") return null;
  const apiKey = await loadApiKey(loaders, keyId);
  return apiKey && new ApiKeyView(apiKey);
}
