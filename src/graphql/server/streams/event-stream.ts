import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { Callers } from "../callers.js";
import type { Operations } from "../operations/operations.js";
import type { PersistedQueries } from "../persisted-queries.js";
import { readOperation, requireShortSubscription } from "./operation-request.js";
import { renderEvent, type SubscriptionEvent, type Subscriptions } from "./subscriptions.js";

/** Interval of keep-alive comments, so that proxies do not close the stream as idle. */
const PING_MS = 12_000;

interface EventStreamOptions {
  readonly operations: Operations;
  readonly subscriptions: Subscriptions;
  readonly streams: EventStreams;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
  readonly callers: Callers;
}

/**
 * Returns whether a request accepts an event stream (GraphQL over SSE, distinct connections mode) before JSON. The order matters:
 * urql accepts both for queries and mutations, with JSON first.
 */
export function acceptsEventStream({ method, headers: { accept = "" } }: FastifyRequest): boolean {
  const events = accept.indexOf("text/event-stream");
  const json = accept.search(/application\/(?:[\w-]+\+)?json/);
  return method === "POST" && events >= 0 && (json < 0 || events < json);
}

/** Creates the subscription handler. Errors before the stream starts are sent as a regular reply. */
export function createEventStream(
  options: EventStreamOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { operations, subscriptions, streams } = options;

  async function open(request: FastifyRequest, reply: FastifyReply, context: GraphqlContext) {
    const operation = readOperation(request.body, options.persistedQueries);
    requireShortSubscription(operation);
    // Free the body: the request stays in memory as long as the stream.
    request.body = undefined;
    const events = await subscriptions.start({ ...operation, context });
    // The deadline passed while the subscription started, so the request has already been answered.
    if (request.deadline?.isOver) {
      await events.return?.();
      return;
    }
    request.isStream = true;
    // Streams have limits of their own.
    request.endWork?.();
    reply
      .header("content-type", "text/event-stream; charset=utf-8")
      .header("x-accel-buffering", "no")
      .hijack();
    // The client may have disconnected while the subscription started.
    if (request.raw.socket.destroyed) {
      await events.return?.();
      return;
    }
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const writer = new EventWriter(reply.raw);
    void writer.closed.then(() => events.return?.());
    // A write to a response behind others of its connection does not resolve if the connection closes.
    await Promise.race([deliver(events, context, writer), writer.closed]);
    await writer.closed;
  }

  async function deliver(
    events: AsyncIterable<SubscriptionEvent>,
    context: GraphqlContext,
    writer: EventWriter,
  ): Promise<void> {
    try {
      for await (const { data } of events) {
        if (writer.hasEnded) return;
        await writer.write(data);
      }
    } catch (error) {
      await writer.write(renderEvent({ data: null, ...operations.fail(error, context).result }).data);
    }
    writer.complete();
  }

  return async (request, reply) => {
    const context = await options.callers.contextOf(request, reply);
    const { session } = context;
    const release = session ? streams.admit(session, request.ip) : () => undefined;
    try {
      await open(request, reply, context);
    } finally {
      release();
    }
  };
}

/**
 * Writes one stream of server-sent events (GraphQL over SSE, distinct connections mode), event by event: the handler of graphql-sse 2.6.1
 * reads events ahead into memory, without a limit.
 */
class EventWriter {
  /** Resolves when the response or its connection is closed. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #pings: NodeJS.Timeout;
  #hasEnded = false;

  /** @param response must have its headers set */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#pings = setInterval(() => {
      if (response.writableLength === 0) void this.write(":\n\n");
    }, PING_MS).unref();
    const { socket } = response.req;
    this.closed = new Promise((resolve) => {
      const onClose = () => {
        response.off("close", onClose);
        socket.off("close", onClose);
        this.#end();
        resolve();
      };
      response.once("close", onClose);
      // With HTTP pipelining, a response still queued behind others emits no "close" when the connection closes.
      socket.once("close", onClose);
    });
    response.writeHead(200);
    // Some browsers wait for the first byte of the body.
    void this.write(":\n\n");
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Writes data, and resolves when the process no longer holds it. */
  async write(data: string | Buffer): Promise<void> {
    if (this.#hasEnded || this.#response.destroyed) return;
    await new Promise<void>((resolve) => this.#response.write(data, () => resolve()));
  }

  complete(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#response.end("event: complete\ndata:\n\n");
  }

  #end(): void {
    this.#hasEnded = true;
    clearInterval(this.#pings);
  }
}
