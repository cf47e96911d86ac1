import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Data } from "../graphql/graphql-fixture.js";

/** A received request. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body. */
  readonly event: Data;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** The requests so far, in order. */
  readonly received: readonly Received[];
  /** The maximum number of concurrent requests. */
  readonly maxConcurrent: () => number;
}

/**
 * Listens for webhooks on loopback until the test ends.
 * @param answer the response; 204 by default
 */
export async function startReceiver(
  answer: (received: Received, count: number) => Answer | Promise<Answer> = () => ({ status: 204 }),
): Promise<Receiver> {
  const received: Received[] = [];
  let atOnce = 0;
  let maximum = 0;
  const server = createServer(async (request, response) => {
    atOnce += 1;
    maximum = Math.max(maximum, atOnce);
    const one = await read(request);
    received.push(one);
    const { status, headers = {}, body = "" } = await answer(one, received.length);
    atOnce -= 1;
    response.writeHead(status, { ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/hook`, port, received, maxConcurrent: () => maximum };
}

async function read(request: IncomingMessage): Promise<Received> {
  const body = await text(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return { url: request.url ?? "", headers, body, event: JSON.parse(body) };
}

/** An answer that a receiver gives once the test releases it. */
export function holdAnswer(): { readonly held: Promise<Answer>; release(status: number): void } {
  let resolveHeld: (answer: Answer) => void = () => undefined;
  const held = new Promise<Answer>((resolve) => {
    resolveHeld = resolve;
  });
  return { held, release: (status) => resolveHeld({ status }) };
}
