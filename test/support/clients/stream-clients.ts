import { createClient as createSseClient } from "graphql-sse";
import { createClient as createSocketClient } from "graphql-ws";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

interface Sink {
  next(value: unknown): void;
  error(error: unknown): void;
  complete(): void;
}

interface StreamClient {
  subscribe(payload: { readonly query: string }, sink: Sink): () => void;
}

const RETRY = {
  retryAttempts: Number.POSITIVE_INFINITY,
  wait: () => new Promise<void>((resolve) => setTimeout(resolve, 50)),
};

/** Creates each client as the documentation configures it, until the test ends. `authorization` is called for each connection. */
export const STREAM_CLIENTS: Readonly<
  Record<string, (url: string, authorization: () => Promise<string>) => StreamClient>
> = {
  "graphql-ws"(url, authorization) {
    const client = createSocketClient({
      url: `${url.replace(/^http/, "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: async () => ({ authorization: await authorization() }),
      shouldRetry: () => true,
      retryAttempts: RETRY.retryAttempts,
      retryWait: RETRY.wait,
    });
    onTestFinished(() => client.dispose());
    return client;
  },
  "graphql-sse"(url, authorization) {
    const client = createSseClient({
      url: `${url}/graphql`,
      headers: async () => ({ authorization: await authorization() }),
      retryAttempts: RETRY.retryAttempts,
      retry: RETRY.wait,
    });
    onTestFinished(() => client.dispose());
    return client;
  },
};

/** Subscribes. @returns what the client reports */
export function followStream(client: StreamClient, query: string): unknown[] {
  const reported: unknown[] = [];
  client.subscribe(
    { query },
    {
      next: (value) => reported.push(value),
      error: (error) => reported.push({ error }),
      complete: () => reported.push("complete"),
    },
  );
  return reported;
}
