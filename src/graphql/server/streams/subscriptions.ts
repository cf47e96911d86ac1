import { DomainError } from "../../../domain/shared/errors.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { WatchEvent } from "../../user-groups/watch-event.js";
import type { Operations } from "../operations/operations.js";
import { EventRenderer, type OpenSubscription, type RenderedEvent } from "./event-renderer.js";

/** Maximum bytes of an event, or of a reply over a WebSocket. */
export const MAX_EVENT_BYTES = 1024 * 1024;

/** An event to send to a subscriber. */
export interface SubscriptionEvent extends RenderedEvent {
  /** Whether the event reports that the subscriber's credentials are no longer valid. */
  readonly isAccessRevoked: boolean;
}

/** Starts subscriptions and renders their events, the same over server-sent events and WebSockets. */
export class Subscriptions {
  readonly #operations: Operations;
  readonly #metrics: Pick<Metrics, "streamCutOffs">;
  readonly #renderer = new EventRenderer();

  constructor(operations: Operations, metrics: Pick<Metrics, "streamCutOffs">) {
    this.#operations = operations;
    this.#metrics = metrics;
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
      const { errorCode } = event;
      if (errorCode === "slow_consumer") this.#metrics.streamCutOffs.inc({ reason: "slow_consumer" });
      if (rendered.data.length > MAX_EVENT_BYTES) throw this.#eventTooLarge(rendered.data.length);
      if (event.isCurrent()) yield { ...rendered, isAccessRevoked: errorCode === "unauthenticated" };
    }
  }

  #eventTooLarge(bytes: number): DomainError {
    this.#metrics.streamCutOffs.inc({ reason: "event_too_large" });
    return new DomainError(
      "query_too_expensive",
      `An event of this subscription has ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed. Subscribe to fewer fields.`,
      { details: { limit: MAX_EVENT_BYTES, actual: bytes } },
    );
  }
}
