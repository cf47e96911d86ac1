import type { FormattedExecutionResult } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import { Subscription } from "../../../services/user-groups/subscription.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { Operations } from "../operations/operations.js";
import type { OperationReply } from "../operations/reply.js";
import { type PersistedQueries, queryNotAllowed } from "../persisted-queries.js";
import { EventRenderer, type OpenOperation, RenderedSubscription } from "./rendered-subscription.js";

/** Maximum combined length of a subscription's document and variables, which stay in memory while it is open. */
const MAX_CHARACTERS = 16_384;

interface StreamOperationDependencies {
  readonly operations: Operations;
  readonly eventStreams: EventStreams;
  readonly metrics: Pick<Metrics, "streamCutOffs">;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
}

/** Starts the operations of event streams and WebSockets. */
export class StreamOperations {
  readonly #renderer: EventRenderer;

  constructor(private readonly deps: StreamOperationDependencies) {
    this.#renderer = new EventRenderer(deps);
  }

  /**
   * Starts an operation.
   * @param body the request as sent
   * @returns the reply to a query or mutation, or a subscription, which counts as open until it ends
   * @throws DomainError if the operation is rejected
   */
  async start(
    body: unknown,
    context: GraphqlContext,
    address: string,
  ): Promise<OperationReply | RenderedSubscription> {
    const { operations, eventStreams, persistedQueries } = this.deps;
    const request = readOperation(body, persistedQueries);
    const { source, operationName, variables } = request;
    const prepared = operations.prepare(source, operationName);
    if (prepared.operation?.operation !== "subscription") return operations.run(prepared, variables, context);
    requireShortSubscription(request);
    const release = context.session ? eventStreams.admit(context.session, address) : () => undefined;
    try {
      const events = await operations.subscribe(prepared, variables, context);
      if (!(events instanceof Subscription)) throw new TypeError("Unexpected source of events.");
      // Only the start reads it.
      context.authorization = undefined;
      // The source of the prepared operation: streams of one document share it.
      const operation = { source: prepared.source, operationName, variables, context };
      return new RenderedSubscription(events, operation, this.#renderer, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns the result that reports an error to the client. */
  fail(error: unknown, context: Pick<GraphqlContext, "requestId" | "metrics">): FormattedExecutionResult {
    return this.deps.operations.fail(error, context).result;
  }
}

/**
 * Reads an operation that arrived over an event stream or a WebSocket.
 * @param persistedQueries allow-list of documents; undefined allows every document
 * @throws DomainError `invalid_json`, `query_not_allowed`
 */
function readOperation(
  body: unknown,
  persistedQueries: PersistedQueries | undefined,
): Omit<OpenOperation, "context"> {
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  const { operationName, documentId, extensions } = body;
  const persisted = isObject(extensions) ? extensions["persistedQuery"] : undefined;
  const hash = isObject(persisted) ? persisted["sha256Hash"] : undefined;
  const variables = isObject(body["variables"]) ? body["variables"] : {};
  // WebSocket clients must send a query: with the ID of a persisted query, it is empty.
  const text = stringOrUndefined(body["query"]) || undefined;
  const source = persistedQueries
    ? persistedQueries.find({ text, id: stringOrUndefined(documentId ?? hash) })
    : text;
  if (source === null) throw queryNotAllowed();
  return { source: source ?? "", operationName: stringOrUndefined(operationName), variables };
}

/** @throws DomainError `payload_too_large` if a subscription is too large to stay in memory */
function requireShortSubscription({ source, variables }: Pick<OpenOperation, "source" | "variables">): void {
  const characters = source.length + JSON.stringify(variables).length;
  if (characters <= MAX_CHARACTERS) return;
  throw new DomainError(
    "payload_too_large",
    `The document and variables of a subscription must not exceed ${MAX_CHARACTERS} characters in total.`,
    { details: { limit: MAX_CHARACTERS } },
  );
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
