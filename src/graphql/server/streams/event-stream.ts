import type { FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import { WatchEvent } from "../../user-groups/watch-event.js";
import type { Operations } from "../operations/operations.js";
import { type PersistedQueries, queryNotAllowed } from "../persisted-queries.js";
import { EventRenderer, encodeEvent, type OpenSubscription } from "./event-renderer.js";
import { EventWriter } from "./event-writer.js";
import { UnreadBudget } from "./unread-budget.js";

/** Maximum combined length of a subscription's document and variables, which stay in memory while it is open. */
const MAX_CHARACTERS = 16_384;

interface EventStreamOptions {
  readonly operations: Operations;
  readonly streams: EventStreams;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
  readonly metrics: Metrics;
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
  const { operations, streams } = options;
  const budget = new UnreadBudget(streams.limits, options.metrics);
  const renderer = new EventRenderer();

  async function subscribe({ source, operationName, variables, context }: OpenSubscription) {
    const prepared = operations.prepare(source, operationName);
    return operations.subscribe(prepared, variables, context);
  }

  async function open(request: FastifyRequest, reply: FastifyReply, context: GraphqlContext) {
    const subscription = { ...readBody(request.body, options.persistedQueries), context };
    // Free the body: the request stays in memory as long as the stream.
    request.body = undefined;
    const events = await subscribe(subscription);
    // The deadline passed while the subscription started, so the request has already been answered.
    if (request.deadline?.isOver) {
      await events.return?.();
      return;
    }
    request.isStream = true;
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
    const writer = new EventWriter(reply.raw, budget);
    void writer.closed.then(() => events.return?.());
    await deliver({ [Symbol.asyncIterator]: () => events }, subscription, writer);
    await writer.closed;
  }

  async function deliver(
    events: AsyncIterable<unknown>,
    subscription: OpenSubscription,
    writer: EventWriter,
  ): Promise<void> {
    const { source, operationName, variables, context } = subscription;
    try {
      for await (const event of events) {
        if (!(event instanceof WatchEvent)) throw new TypeError("Unexpected type of subscription event.");
        // The client must not read buffered events once its credentials are invalid.
        if (event.isAccessRevoked && writer.unread > 0) writer.destroy();
        const data = await renderer.render(
          event,
          subscription,
          () => operations.executeEvent(event, operations.prepare(source, operationName), variables, context),
          (result) => operations.shape(result, context),
        );
        if (writer.hasEnded) return;
        if (!event.isCurrent()) continue;
        budget.reserve(writer, data.length);
        writer.next(data);
      }
    } catch (error) {
      writer.next(encodeEvent({ data: null, ...operations.fail(error, context).result }));
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

/** @throws DomainError `invalid_json`, `query_not_allowed`, `payload_too_large` */
function readBody(
  body: unknown,
  persistedQueries: PersistedQueries | undefined,
): Omit<OpenSubscription, "context"> {
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  const { operationName, documentId, extensions } = body;
  const persisted = isObject(extensions) ? extensions["persistedQuery"] : undefined;
  const hash = isObject(persisted) ? persisted["sha256Hash"] : undefined;
  const variables = isObject(body["variables"]) ? body["variables"] : {};
  const text = stringOrUndefined(body["query"]);
  const source = persistedQueries
    ? persistedQueries.find({ text, id: stringOrUndefined(documentId ?? hash) })
    : text;
  if (source === null) throw queryNotAllowed();
  requireMaxLength(source ?? "", variables);
  return { source: source ?? "", operationName: stringOrUndefined(operationName), variables };
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** @throws DomainError `payload_too_large` */
function requireMaxLength(source: string, variables: object): void {
  const characters = source.length + lengthAsJson(variables);
  if (characters <= MAX_CHARACTERS) return;
  throw new DomainError(
    "payload_too_large",
    `The document and variables of a subscription must not exceed ${MAX_CHARACTERS} characters in total.`,
    { details: { limit: MAX_CHARACTERS } },
  );
}

function lengthAsJson(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    // The value is nested too deeply for JSON.stringify.
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
