import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GraphqlContext } from "../../shared/context.js";
import { firstCode } from "../../shared/error-format.js";
import { replyTooLarge } from "../../shared/reply-budget.js";
import type { Callers } from "../callers.js";
import type { OperationReply } from "../operations/reply.js";
import {
  mayStartAgain,
  renderEvent,
  type StreamOperations,
  type SubscriptionEvent,
} from "./stream-operations.js";

/** Interval of keep-alive comments, so that proxies do not close the stream as idle. */
const PING_MS = 12_000;
const MEDIA_TYPE = "text/event-stream; charset=utf-8";
const COMPLETE = "event: complete\ndata:\n\n";

interface EventStreamOptions {
  readonly streams: StreamOperations;
  readonly callers: Callers;
  readonly maxReplyBytes: number;
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

/** Creates the handler of operations whose reply is an event stream. Errors before the stream starts are sent as a regular reply. */
export function createEventStream({ streams, callers, maxReplyBytes }: EventStreamOptions) {
  async function open(
    events: AsyncIterableIterator<SubscriptionEvent>,
    context: GraphqlContext,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    // The deadline passed while the subscription started, so the request has already been answered.
    if (request.deadline?.isOver) {
      await events.return?.();
      return;
    }
    // Free the body: the request stays in memory as long as the stream.
    request.body = undefined;
    request.isStream = true;
    context.services.usage.recordCall(request, false);
    // Streams have limits of their own.
    request.endWork?.();
    reply.header("content-type", MEDIA_TYPE).header("x-accel-buffering", "no").hijack();
    // The client may have disconnected while the subscription started.
    if (request.raw.socket.destroyed) {
      await events.return?.();
      return;
    }
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const writer = new EventWriter(reply.raw);
    // A console session expires without a notification.
    const sessionEndsAt = request.consoleSession?.expiresAt.getTime();
    const timer = sessionEndsAt && setTimeout(() => writer.cut(), sessionEndsAt - Date.now()).unref();
    void writer.closed.then(() => {
      clearTimeout(timer);
      return events.return?.();
    });
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
      for await (const { data } of events) await writer.write(data);
    } catch (error) {
      if (mayStartAgain(error)) {
        writer.cut();
        return;
      }
      await writer.write(renderEvent({ data: null, ...streams.fail(error, context) }).data);
    }
    writer.complete();
  }

  /** Answers a query or mutation with one event. An operation that did not run has a regular reply. */
  function answer({ status, headers, result }: OperationReply, request: FastifyRequest, reply: FastifyReply) {
    reply.headers(headers);
    if (result.errors) request.errorCode = firstCode(result.errors);
    if (!("data" in result)) return reply.code(status).send(result);
    const { data } = renderEvent(result);
    if (data.length > maxReplyBytes) throw replyTooLarge(maxReplyBytes);
    return reply.type(MEDIA_TYPE).send(Buffer.concat([data, Buffer.from(COMPLETE)]));
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const context = await callers.contextOf(request, reply);
    const started = await streams.start(request.body, context, request.ip);
    if (!(Symbol.asyncIterator in started)) return answer(started, request, reply);
    return open(started, context, request, reply);
  };
}

/**
 * Writes one stream of server-sent events (GraphQL over SSE, distinct connections mode), event by event: the handler of graphql-sse 2.6.1
 * reads events ahead into memory, without a limit.
 */
class EventWriter {
  /** Resolves when the response or its connection is closed. */
  readonly closed: Promise<void>;
  readonly #pings: NodeJS.Timeout;
  #hasEnded = false;

  /** @param response must have its headers set */
  constructor(private readonly response: ServerResponse) {
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

  /** Writes data, and resolves when the process no longer holds it. */
  async write(data: string | Buffer): Promise<void> {
    if (this.#hasEnded || this.response.destroyed) return;
    await new Promise<void>((resolve) => this.response.write(data, () => resolve()));
  }

  complete(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.response.end(COMPLETE);
  }

  /** Ends the stream with its connection: graphql-sse 2.6.1 can wait forever if a body ends regularly right after an event. */
  cut(): void {
    this.response.destroy();
  }

  #end(): void {
    this.#hasEnded = true;
    clearInterval(this.#pings);
  }
}
