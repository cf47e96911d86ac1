import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import { UserGroupEvent } from "../../../services/user-groups/subscription.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import { domainErrorOf } from "../../shared/error-format.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { stringifyReply } from "../../shared/raw-json.js";
import type { Variables } from "../limits/operation-measure.js";
import type { Operations } from "../operations/operations.js";
import type { OperationReply } from "../operations/reply.js";
import { type PersistedQueries, queryNotAllowed } from "../persisted-queries.js";

/** Maximum bytes of an event, or of a reply over a WebSocket. */
export const MAX_EVENT_BYTES = 1024 * 1024;
/** Maximum combined length of a subscription's document and variables, which stay in memory while it is open. */
const MAX_CHARACTERS = 16_384;

interface StreamOperationDependencies {
  readonly operations: Operations;
  readonly eventStreams: EventStreams;
  readonly metrics: Pick<Metrics, "streamCutOffs">;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
}

/** An open subscription. It holds the source only: a parsed document takes a hundred times the memory. */
interface OpenSubscription {
  readonly source: string;
  readonly operationName: string | undefined;
  readonly variables: Variables;
  readonly context: GraphqlContext;
}

/** The result of an event. */
export interface SubscriptionEvent {
  readonly result: FormattedExecutionResult;
  /** The result as a server-sent event. */
  readonly data: Buffer;
}

/**
 * Returns whether a subscription that this error ended may start again, on another process or with new credentials. Its transport then
 * ends without a message about the operation, so that clients retry.
 */
export function mayStartAgain(error: unknown): error is DomainError {
  if (!(error instanceof DomainError)) return false;
  return ["unauthenticated", "unavailable", "slow_consumer"].includes(error.code);
}

/** Starts the operations of event streams and WebSockets, and renders the events of subscriptions. */
export class StreamOperations {
  /** Rendered events by the state of the group, and by `keyOf`. */
  readonly #rendered = new WeakMap<object, Map<string, Promise<SubscriptionEvent | null>>>();

  constructor(private readonly deps: StreamOperationDependencies) {}

  /**
   * Starts an operation.
   * @param body the request as sent
   * @returns the reply to a query or mutation, or the events of a subscription, which counts as open until they end
   * @throws DomainError if the operation is rejected
   */
  async start(
    body: unknown,
    context: GraphqlContext,
    address: string,
  ): Promise<OperationReply | AsyncIterableIterator<SubscriptionEvent>> {
    const { operations, eventStreams, persistedQueries } = this.deps;
    const request = readOperation(body, persistedQueries);
    const { source, operationName, variables } = request;
    const prepared = operations.prepare(source, operationName);
    if (prepared.operation?.operation !== "subscription") return operations.run(prepared, variables, context);
    requireShortSubscription(request);
    const release = context.session ? eventStreams.admit(context.session, address) : () => undefined;
    try {
      const events = await operations.subscribe(prepared, variables, context);
      const close = () => {
        release();
        void events.return?.();
      };
      // Only the start reads it.
      context.authorization = undefined;
      // The source of the prepared operation: streams of one document share it.
      const subscription = { source: prepared.source, operationName, variables, context };
      return this.#render(events, subscription, close);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns the result that reports an error to the client. */
  fail(error: unknown, context: Pick<GraphqlContext, "requestId" | "metrics">): FormattedExecutionResult {
    return this.deps.operations.fail(error, context).result;
  }

  /** Returns the rendered events of a subscription. No generator: each stream would keep one more in memory. */
  #render(
    events: AsyncIterator<unknown>,
    subscription: OpenSubscription,
    close: () => void,
  ): AsyncIterableIterator<SubscriptionEvent> {
    const next = async (): Promise<IteratorResult<SubscriptionEvent, void>> => {
      try {
        for (;;) {
          const { done, value: event } = await events.next();
          if (done) {
            close();
            return { done, value: undefined };
          }
          if (!(event instanceof UserGroupEvent))
            throw new TypeError("Unexpected type of subscription event.");
          const value = await this.#renderEvent(event, subscription);
          if (event.isCurrent) return { value };
        }
      } catch (error) {
        close();
        if (error instanceof DomainError && error.code === "slow_consumer")
          this.deps.metrics.streamCutOffs.inc({ reason: error.code });
        throw error;
      }
    };
    return withPromptReturn({ next }, close);
  }

  async #renderEvent(event: UserGroupEvent, subscription: OpenSubscription): Promise<SubscriptionEvent> {
    const { operations } = this.deps;
    const rendered =
      (await this.#renderOnce(event, subscription)) ??
      renderEvent(operations.shape(await this.#execute(event, subscription), subscription.context));
    if (rendered.data.length > MAX_EVENT_BYTES) throw this.#eventTooLarge(rendered.data.length);
    return rendered;
  }

  /**
   * Renders an event once for all streams with the same result, such as the viewers of one dashboard.
   * @returns null for a deletion, and for a result with errors: they contain the request ID of the stream
   */
  async #renderOnce(
    event: UserGroupEvent,
    subscription: OpenSubscription,
  ): Promise<SubscriptionEvent | null> {
    if (!event.group) return null;
    const results = this.#rendered.get(event.group) ?? new Map<string, Promise<SubscriptionEvent | null>>();
    this.#rendered.set(event.group, results);
    const key = keyOf(event, subscription);
    const rendered =
      results.get(key) ??
      this.#execute(event, subscription).then(({ data = null, errors }) =>
        errors ? null : renderEvent({ data }),
      );
    results.set(key, rendered);
    return rendered;
  }

  async #execute(event: UserGroupEvent, subscription: OpenSubscription): Promise<ExecutionResult> {
    const { operations } = this.deps;
    const { source, operationName, variables, context } = subscription;
    const prepared = operations.prepare(source, operationName);
    const result = await operations.executeEvent(event, prepared, variables, context);
    const failure = result.errors?.map(domainErrorOf).find(mayStartAgain);
    if (failure) throw failure;
    return result;
  }

  #eventTooLarge(bytes: number): DomainError {
    this.deps.metrics.streamCutOffs.inc({ reason: "event_too_large" });
    return new DomainError(
      "query_too_expensive",
      `An event of this subscription has ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed. Subscribe to fewer fields.`,
      { details: { limit: MAX_EVENT_BYTES, actual: bytes } },
    );
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
): Omit<OpenSubscription, "context"> {
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
function requireShortSubscription({
  source,
  variables,
}: Pick<OpenSubscription, "source" | "variables">): void {
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

/** Returns a key of everything but the group that affects the result. The scope matters because it decides whether tokens are shown. */
function keyOf(
  { kind }: UserGroupEvent,
  { source, operationName, variables, context: { session } }: OpenSubscription,
): string {
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([kind, session?.kind, scope, operationName, variables, source]);
}

/** Renders a result, encoded once for all of its streams. */
export function renderEvent(result: FormattedExecutionResult): SubscriptionEvent {
  return { result, data: Buffer.from(`event: next\ndata: ${stringifyReply(result)}\n\n`) };
}
