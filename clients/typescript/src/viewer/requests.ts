import {
  ViewerChangedDocument,
  type ViewerChangedSubscription,
  ViewerDocument,
  type ViewerQuery,
} from "../generated/operations.js";
import { ViewerError } from "./error.js";
import type { Session } from "./session.js";

/** A user group as the service sends it. */
export type ReadGroup = NonNullable<NonNullable<ViewerQuery["viewer"]>["userGroup"]>;

/** The service writes at least a comment every 12 seconds. */
const IDLE_TIMEOUT_MS = 40_000;

/** Creates the requests of a viewer. @param endpoint of `endpointOf` */
export function createRequests(endpoint: string, timeoutMs: number) {
  const late = () => new ViewerError("timeout", `The service did not reply within ${timeoutMs} ms.`);

  const send = (accept: string, { token }: Session, query: string, signal: AbortSignal) =>
    fetch(endpoint, {
      method: "POST",
      headers: { accept, authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ query }),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal,
    });

  async function query(session: Session, signal: AbortSignal | undefined): Promise<ReadGroup> {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const both = signal ? AbortSignal.any([signal, limit]) : limit;
      const reply = await send("application/json", session, String(ViewerDocument), both);
      const body: Reply<ViewerQuery> | null = parse(await reply.text());
      if (reply.ok && body?.data?.viewer?.userGroup && !body.errors) return body.data.viewer.userGroup;
      throw errorOf(reply, body);
    } catch (cause) {
      signal?.throwIfAborted();
      throw limit.aborted ? late() : toViewerError(cause);
    }
  }

  /**
   * Follows the group's event stream until it breaks after an event.
   * @param receive gets the group, and a function that ends the stream
   * @throws ViewerError if it breaks before, or the service ends it
   */
  async function follow(
    session: Session,
    signal: AbortSignal,
    receive: (group: ReadGroup, cut: () => void) => void,
  ): Promise<void> {
    const limit = new AbortController();
    const cut = () => limit.abort();
    let timer = setTimeout(cut, timeoutMs);
    let hasReceived = false;
    try {
      const both = AbortSignal.any([signal, limit.signal]);
      const reply = await send("text/event-stream", session, String(ViewerChangedDocument), both);
      const isStream = reply.ok && reply.headers.get("content-type")?.startsWith("text/event-stream");
      if (!isStream || !reply.body) throw errorOf(reply, parse(await reply.text()));
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ; ) {
        const { done, value = "" } = await reader.read();
        if (done) throw new TypeError("The event stream ended.");
        const blocks = (text + value).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const group = readEvent(reply, block);
          if (!group) continue;
          hasReceived = true;
          receive(group, cut);
        }
        // The first event is the current state: the time for a reply is enough.
        if (!hasReceived) continue;
        clearTimeout(timer);
        timer = setTimeout(cut, IDLE_TIMEOUT_MS);
      }
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ViewerError) throw cause;
      if (!hasReceived) throw limit.signal.aborted ? late() : toViewerError(cause);
    } finally {
      clearTimeout(timer);
      cut();
    }
  }

  return { query, follow };
}

/** Reads a server-sent event. @returns its group; undefined for a comment @throws ViewerError that ends the subscription */
function readEvent(reply: Response, block: string): ReadGroup | undefined {
  const { event, data = "" } = /^event: (?<event>.*)(?:\ndata: ?(?<data>.*))?$/m.exec(block)?.groups ?? {};
  if (!event) return undefined;
  const body: Reply<ViewerChangedSubscription> | null = event === "next" ? parse(data) : {};
  const group = body?.data?.userGroupChanged?.userGroup;
  if (group && !body.errors) return group;
  if (!body || body.errors) throw errorOf(reply, body);
  // A deletion, or the end that follows it.
  throw new ViewerError("deleted", "The user group was deleted.");
}

/** A reply of the service. Properties are unknown: something else may have answered. */
interface Reply<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly {
    readonly message?: string;
    readonly extensions?: { readonly code?: string; readonly retryAfter?: number };
  }[];
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function errorOf({ status, headers }: Response, body: Reply<unknown> | null): ViewerError {
  const [error] = body?.errors ?? [];
  const { code, retryAfter } = error?.extensions ?? {};
  return new ViewerError(
    code?.toLowerCase() ?? "unexpected_reply",
    error?.message ?? `The reply with HTTP status ${status} is not from the user group service.`,
    { status, retryAfter: retryAfter ?? (Number(headers.get("retry-after")) || 0) },
  );
}

/** Browsers do not distinguish network errors from a CORS refusal. */
function toViewerError(cause: unknown): ViewerError {
  if (cause instanceof ViewerError) return cause;
  const message = "The service is unreachable, or its `CORS_ORIGINS` does not include this page's origin.";
  return new ViewerError("network", message, {}, { cause });
}

/** Returns the URL of the service's GraphQL API. @throws TypeError if the URL is invalid */
export function endpointOf(url: string): string {
  const { protocol, href } = URL.canParse(url) ? new URL(url) : {};
  if (href && (protocol === "https:" || protocol === "http:")) return `${href.replace(/\/$/, "")}/graphql`;
  throw new TypeError("`url` must be a URL that begins with https:// or http://.");
}
