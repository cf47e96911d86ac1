import type { EventStreamLimits } from "../../../domain/requests/event-stream-limits.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { WatchEvent } from "../../user-groups/watch-event.js";
import type { Operations } from "../operations/operations.js";
import { EventRenderer, type OpenSubscription, type RenderedEvent } from "./event-renderer.js";
import { UnreadBudget } from "./unread-budget.js";

/** An event to send to a subscriber. */
export interface SubscriptionEvent extends RenderedEvent {
  /** Whether the event reports that the subscriber's credentials are no longer valid. */
  readonly isAccessRevoked: boolean;
}

/** Starts subscriptions and renders their events, the same over server-sent events and WebSockets. */
export class Subscriptions {
  /** The unread data of all subscribers. */
  readonly budget: UnreadBudget;
  readonly #operations: Operations;
  readonly #renderer = new EventRenderer();

  constructor(operations: Operations, limits: EventStreamLimits, metrics: Metrics) {
    this.#operations = operations;
    this.budget = new UnreadBudget(limits, metrics);
  }

  /** @throws DomainError if the subscription is rejected */
  async start(subscription: OpenSubscription): Promise<AsyncIterableIterator<SubscriptionEvent>> {
    const { source, operationName, variables, context } = subscription;
    const prepared = this.#operations.prepare(source, operationName);
    const events = await this.#operations.subscribe(prepared, variables, context);
    return withPromptReturn(this.#render(events, subscription), () => void events.return?.());
  }

  async *#render(
    events: AsyncIterator<unknown>,
    subscription: OpenSubscription,
  ): AsyncGenerator<SubscriptionEvent, void, undefined> {
    const { source, operationName, variables, context } = subscription;
    const operations = this.#operations;
    for await (const event of { [Symbol.asyncIterator]: () => events }) {
      if (!(event instanceof WatchEvent)) throw new TypeError("Unexpected type of subscription event.");
      const rendered = await this.#renderer.render(
        event,
        subscription,
        () => operations.executeEvent(event, operations.prepare(source, operationName), variables, context),
        (result) => operations.shape(result, context),
      );
      if (event.isCurrent()) yield { ...rendered, isAccessRevoked: event.isAccessRevoked };
    }
  }
}
