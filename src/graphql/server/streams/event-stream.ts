import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { EventTaker } from "../../../services/shared/event-source.js";
import type { GraphqlContext } from "../../shared/context.js";
import { firstCode } from "../../shared/error-format.js";
import { replyTooLarge } from "../../shared/reply-budget.js";
import type { Callers } from "../callers.js";
import type { OperationReply } from "../operations/reply.js";
import {
  mayStartAgain,
  RenderedSubscription,
  renderEvent,
  type SubscriptionEvent,
} from "./rendered-subscription.js";
import type { StreamOperations } from "./stream-operations.js";

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
  function open(
    events: RenderedSubscription,
    context: GraphqlContext,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // The deadline passed while the subscription started, so the request has already been answered.
    if (request.deadline?.isOver) {
      events.end();
      return;
    }
    request.isStream = true;
    context.services.usage.recordCall(request, false);
    // Streams have limits of their own.
    request.endWork?.();
    reply.header("content-type", MEDIA_TYPE).header("x-accel-buffering", "no").hijack();
    // The client may have disconnected while the subscription started.
    if (request.raw.socket.destroyed) {
      events.end();
      return;
    }
    // A console session expires without a notification.
    new EventWriter(reply, events, request.consoleSession?.expiresAt).start();
    release(request);
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
    if (!(started instanceof RenderedSubscription)) return answer(started, request, reply);
    return open(started, context, request, reply);
  };
}

/** Frees what only the start of a stream needs: the request stays in memory as long as the stream. */
function release(request: FastifyRequest): void {
  request.body = undefined;
  request.raw.headers = {};
  request.raw.rawHeaders = [];
}

/**
 * Writes one stream of server-sent events (GraphQL over SSE, distinct connections mode), event by event: the handler of graphql-sse 2.6.1
 * reads events ahead into memory, without a limit.
 */
class EventWriter implements EventTaker<SubscriptionEvent> {
  readonly #response: ServerResponse;
  readonly #pings: NodeJS.Timeout;
  readonly #onClose = () => this.#end();
  #expiry: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** @param expiresAt when the connection is cut; undefined for never */
  constructor(
    reply: FastifyReply,
    private readonly events: RenderedSubscription,
    expiresAt: Date | undefined,
  ) {
    const { raw } = reply;
    this.#response = raw;
    this.#pings = setInterval(() => {
      if (raw.writableLength === 0) this.#write(":\n\n");
    }, PING_MS).unref();
    if (expiresAt) this.#expiry = setTimeout(() => this.#cut(), expiresAt.getTime() - Date.now()).unref();
    raw.on("close", this.#onClose);
    // With HTTP pipelining, a response still queued behind others emits no "close" when the connection closes.
    raw.req.socket.on("close", this.#onClose);
    // Set one by one, the headers would stay in memory twice. Flushed alone, they become one string.
    const headers: NodeJS.Dict<number | string | string[]> = reply.getHeaders();
    raw.cork();
    raw.writeHead(200, headers).flushHeaders();
    // Some browsers wait for the first byte of the body.
    this.#write(":\n\n");
    process.nextTick(() => raw.uncork());
  }

  start(): void {
    this.events.follow(this);
    this.events.request();
  }

  /** Asks for the next event when the process no longer holds this one. */
  onEvent({ data }: SubscriptionEvent): void {
    this.#write(data, () => this.events.request());
  }

  onEnd(error?: Error): void {
    if (mayStartAgain(error)) {
      this.#cut();
      return;
    }
    if (error !== undefined) this.#write(this.events.renderFailure(error));
    if (this.#hasEnded) return;
    this.#end();
    this.#response.end(COMPLETE);
  }

  #write(data: string | Buffer, onWritten?: () => void): void {
    if (!this.#hasEnded && !this.#response.destroyed) this.#response.write(data, onWritten);
  }

  /** Ends the stream with its connection: graphql-sse 2.6.1 can wait forever if a body ends regularly right after an event. */
  #cut(): void {
    this.#response.destroy();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#pings);
    clearTimeout(this.#expiry);
    this.#response.req.socket.off("close", this.#onClose);
    this.events.end();
  }
}
