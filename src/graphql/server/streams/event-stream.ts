import type { FastifyReply, FastifyRequest } from "fastify";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { Operations } from "../operations/operations.js";
import type { PersistedQueries } from "../persisted-queries.js";
import { renderEvent } from "./event-renderer.js";
import { EventWriter } from "./event-writer.js";
import { readOperation, requireShortSubscription } from "./operation-request.js";
import type { SubscriptionEvent, Subscriptions } from "./subscriptions.js";

interface EventStreamOptions {
  readonly operations: Operations;
  readonly subscriptions: Subscriptions;
  readonly streams: EventStreams;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>;
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
    const context = await options.contextOf(request, reply);
    const { session } = context;
    const release = session ? streams.admit(session, request.ip) : () => undefined;
    try {
      await open(request, reply, context);
    } finally {
      release();
    }
  };
}
