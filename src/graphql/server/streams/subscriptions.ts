import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";
import { UserGroupEvent } from "../../../services/user-groups/subscription.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import { domainErrorOf } from "../../shared/error-format.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { stringifyReply } from "../../shared/raw-json.js";
import type { Operations } from "../operations/operations.js";
import type { OperationRequest } from "./operation-request.js";

/** Maximum bytes of an event, or of a reply over a WebSocket. */
export const MAX_EVENT_BYTES = 1024 * 1024;

/** An open subscription. It holds the source only: a parsed document takes a hundred times the memory. */
interface OpenSubscription extends OperationRequest {
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

/** Starts subscriptions and renders their events, the same over server-sent events and WebSockets. */
export class Subscriptions {
  readonly #renderer = new EventRenderer();

  constructor(
    private readonly operations: Operations,
    private readonly metrics: Pick<Metrics, "streamCutOffs">,
  ) {}

  /** @throws DomainError if the subscription is rejected */
  async start(subscription: OpenSubscription): Promise<AsyncIterableIterator<SubscriptionEvent>> {
    const { source, operationName, variables, context } = subscription;
    const prepared = this.operations.prepare(source, operationName);
    const events = await this.operations.subscribe(prepared, variables, context);
    return withPromptReturn(this.#render(events, subscription), () => void events.return?.());
  }

  async *#render(
    events: AsyncIterator<unknown>,
    subscription: OpenSubscription,
  ): AsyncGenerator<SubscriptionEvent, void, undefined> {
    const { source, operationName, variables, context } = subscription;
    const { operations } = this;
    try {
      for await (const event of { [Symbol.asyncIterator]: () => events }) {
        if (!(event instanceof UserGroupEvent)) throw new TypeError("Unexpected type of subscription event.");
        const rendered = await this.#renderer.render(
          event,
          subscription,
          async () => {
            const prepared = operations.prepare(source, operationName);
            const result = await operations.executeEvent(event, prepared, variables, context);
            const failure = result.errors?.map(domainErrorOf).find(mayStartAgain);
            if (failure) throw failure;
            return result;
          },
          (result) => operations.shape(result, context),
        );
        if (rendered.data.length > MAX_EVENT_BYTES) throw this.#eventTooLarge(rendered.data.length);
        if (event.isCurrent) yield rendered;
      }
    } catch (error) {
      if (error instanceof DomainError && error.code === "slow_consumer")
        this.metrics.streamCutOffs.inc({ reason: error.code });
      throw error;
    }
  }

  #eventTooLarge(bytes: number): DomainError {
    this.metrics.streamCutOffs.inc({ reason: "event_too_large" });
    return new DomainError(
      "query_too_expensive",
      `An event of this subscription has ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed. Subscribe to fewer fields.`,
      { details: { limit: MAX_EVENT_BYTES, actual: bytes } },
    );
  }
}

/** Renders each event once for all streams with the same result, such as the viewers of one dashboard. */
class EventRenderer {
  readonly #rendered = new WeakMap<object, Map<string, Promise<SubscriptionEvent | null>>>();

  /**
   * @param execute executes the subscription's operation for the event
   * @param shape formats a result for the client of this stream
   */
  async render(
    { kind, group }: UserGroupEvent,
    subscription: OpenSubscription,
    execute: () => Promise<ExecutionResult>,
    shape: (result: ExecutionResult) => FormattedExecutionResult,
  ): Promise<SubscriptionEvent> {
    const rendered = group && (await this.#renderOnce(group, `${kind}${keyOf(subscription)}`, execute));
    return rendered ?? renderEvent(shape(await execute()));
  }

  /** Returns null for a result with errors, which cannot be shared: they contain the request ID of the stream. */
  #renderOnce(
    shared: object,
    key: string,
    execute: () => Promise<ExecutionResult>,
  ): Promise<SubscriptionEvent | null> {
    const eventResults = this.#rendered.get(shared) ?? new Map<string, Promise<SubscriptionEvent | null>>();
    this.#rendered.set(shared, eventResults);
    const known = eventResults.get(key);
    if (known) return known;
    const rendered = execute().then(({ data = null, errors }) => (errors ? null : renderEvent({ data })));
    eventResults.set(key, rendered);
    return rendered;
  }
}

/** Returns a key of everything but the event that affects the result. The scope matters because it decides whether tokens are shown. */
function keyOf({ source, operationName, variables, context: { session } }: OpenSubscription): string {
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([session?.kind, scope, operationName, variables, source]);
}

/** Renders a result, encoded once for all of its streams. */
export function renderEvent(result: FormattedExecutionResult): SubscriptionEvent {
  return { result, data: Buffer.from(`event: next\ndata: ${stringifyReply(result)}\n\n`) };
}
