import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { toFailure } from "../api/failure.js";
import { useSession } from "./session.js";

const MS_PER_S = 1000;
const MAX_RETRY_DELAY_MS = 4000;

/**
 * Creates a cache of query results. After an outage, queries recover without the user's help.
 * @param canReload whether pages may load again when the user returns to the tab
 */
export function createCache(canReload = () => true): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (_count, error) => toFailure(error).isTemporary,
        retryDelay: (count, error) =>
          Math.max(
            MS_PER_S * (toFailure(error).retryAfter ?? 0),
            Math.min(MS_PER_S * 2 ** count, MAX_RETRY_DELAY_MS),
          ),
        // A service on the same machine replies offline, too; retries wait for the network.
        networkMode: "offlineFirst",
        refetchOnWindowFocus: canReload,
      },
    },
  });
}

interface QueryCacheProps {
  readonly canReload: () => boolean;
  readonly children: ReactNode;
}

/** Provides the cache of query results, for one account and environment. */
export function QueryCache({ canReload, children }: QueryCacheProps) {
  const { client } = useSession();
  const [cache] = useState(() => createCache(canReload));
  const [firstClient] = useState(client);
  // After another sign-in: the results of the rejected session are outdated.
  useEffect(() => {
    if (client !== firstClient) void cache.invalidateQueries();
  }, [client, firstClient, cache]);
  return <QueryClientProvider client={cache}>{children}</QueryClientProvider>;
}
