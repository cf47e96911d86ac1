import { request } from "undici";
import { expect, onTestFinished } from "vitest";
import { soon } from "../service/patience.js";

export interface EventStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The whole body of a reply that is not a stream. */
  readonly body: unknown;
  /** Waits for the next event. @returns its data; undefined at the end of the stream */
  next(): Promise<unknown>;
  /** Whether `complete` was received. */
  isComplete(): boolean;
  close(): void;
}

/** Subscribes over server-sent events. @param credentials an Authorization header, or other headers */
export async function openEventStream(
  url: string,
  credentials: string | Readonly<Record<string, string>>,
  query: string | undefined,
  variables: object = {},
  more: object = {},
): Promise<EventStream> {
  const abort = new AbortController();
  const sent = typeof credentials === "string" ? { authorization: credentials } : credentials;
  const reply = await request(`${url}/graphql`, {
    method: "POST",
    headers: { ...sent, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query, variables, ...more }),
    signal: abort.signal,
  });
  const isStream = String(reply.headers["content-type"]).startsWith("text/event-stream");
  let isComplete = false;
  const events = isStream
    ? readEvents(reply.body, () => {
        isComplete = true;
      })
    : undefined;
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: isStream ? undefined : JSON.parse(await reply.body.text()),
    async next() {
      const event = events && (await soon("An event", events.next()));
      return event?.done ? undefined : event?.value;
    },
    isComplete: () => isComplete,
    close: () => abort.abort(),
  };
}

/** Subscribes until the test ends. */
export async function followEvents(...args: Parameters<typeof openEventStream>): Promise<EventStream> {
  const stream = await openEventStream(...args);
  onTestFinished(() => stream.close());
  return stream;
}

/** Subscribes to all groups with the session of the console, until the test ends. */
export async function followInConsole(url: string, cookie: string): Promise<EventStream> {
  return followEvents(url, { cookie, "x-console": "Customer" }, "subscription { userGroupChanged { kind } }");
}

/** Expects the end of a stream that is no `complete`, so that clients connect again, with new credentials. */
export async function expectCutOff(stream: EventStream | undefined): Promise<void> {
  expect(await stream?.next()).toBeUndefined();
  expect(stream?.isComplete()).toBe(false);
}

/** Subscribes to one user group, and takes its current state, the first event. */
export async function openGroupStream(...args: Parameters<typeof openEventStream>): Promise<EventStream> {
  const stream = await openEventStream(...args);
  await stream.next();
  return stream;
}

async function* readEvents(
  body: AsyncIterable<unknown>,
  onComplete: () => void,
): AsyncGenerator<unknown, void> {
  let text = "";
  try {
    for await (const chunk of body) {
      text += String(chunk);
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const [, data] = /^event: next\ndata: (.*)$/s.exec(event) ?? [];
        if (data !== undefined) yield JSON.parse(data);
        if (!event.startsWith("event: complete")) continue;
        onComplete();
        return;
      }
    }
  } catch {
    // The connection was cut: the stream is over.
  }
}
