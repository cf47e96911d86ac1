import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useSession } from "./session.js";

/** Provides the cache of query results, for one account and environment. */
export function QueryCache({ children }: { readonly children: ReactNode }) {
  const { client } = useSession();
  const [cache] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          // The service reports errors that a retry would not fix; network errors have a retry button.
          queries: { retry: false, refetchOnWindowFocus: false, networkMode: "always" },
        },
      }),
  );
  const [firstClient] = useState(client);
  // After another sign-in: the results of the rejected session are outdated.
  useEffect(() => {
    if (client !== firstClient) void cache.invalidateQueries();
  }, [client, firstClient, cache]);
  return <QueryClientProvider client={cache}>{children}</QueryClientProvider>;
}
