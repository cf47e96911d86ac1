import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import { DomainError } from "../../../domain/shared/errors.js";
import { getOrCreate } from "../../../domain/shared/get-or-create.js";
import type { EventSource, EventTaker } from "../../../services/shared/event-source.js";
import { Handout, SharedResult, type Taker } from "../../../services/shared/shared-result.js";
import type { Subscription, UserGroupEvent } from "../../../services/user-groups/subscription.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import { domainErrorOf } from "../../shared/error-format.js";
import { stringifyReply } from "../../shared/raw-json.js";
import type { Variables } from "../limits/operation-measure.js";
import type { Operations } from "../operations/operations.js";

/** Maximum bytes of an event, or of a reply over a WebSocket. */
export const MAX_EVENT_BYTES = 1024 * 1024;

/** The operation of an open subscription. It holds the source only: a parsed document takes a hundred times the memory. */
export interface OpenOperation {
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

interface RendererDependencies {
  readonly operations: Operations;
  readonly metrics: Pick<Metrics, "streamCutOffs">;
}

/**
 * Returns whether a subscription that this error ended may start again, on another process or with new credentials. Its transport then
 * ends without a message about the operation, so that clients retry.
 */
export function mayStartAgain(error: unknown): error is DomainError {
  if (!(error instanceof DomainError)) return false;
  return ["unauthenticated", "unavailable", "slow_consumer"].includes(error.code);
}

/** Renders the events of subscriptions, once for all streams with the same result, such as the viewers of one dashboard. */
export class EventRenderer {
  /** Rendered events by the state of the group, and by `keyOf`; null for a result with errors. */
  readonly #shared = new WeakMap<object, Map<string, SharedResult<SubscriptionEvent | null>>>();
  readonly #handout = new Handout();

  constructor(readonly deps: RendererDependencies) {}

  render(event: UserGroupEvent, operation: OpenOperation, taker: Taker<SubscriptionEvent>): void {
    if (!event.group) {
      this.#renderAlone(event, operation, taker);
      return;
    }
    const results = getOrCreate(this.#shared, event.group, () => new Map());
    const shared: SharedResult<SubscriptionEvent | null> = getOrCreate(
      results,
      keyOf(event, operation),
      () => {
        const rendered = this.#execute(event, operation).then(({ data = null, errors }) =>
          errors ? null : renderEvent({ data }),
        );
        return new SharedResult(rendered, this.#handout);
      },
    );
    shared.take((outcome) => {
      if (outcome.status === "rejected") taker(outcome);
      else if (outcome.value) taker({ status: "fulfilled", value: outcome.value });
      else this.#renderAlone(event, operation, taker);
    });
  }

  /** Renders an event for one stream: a deletion, or a result with errors, which contain the request ID of the stream. */
  #renderAlone(event: UserGroupEvent, operation: OpenOperation, taker: Taker<SubscriptionEvent>): void {
    const rendered = this.#execute(event, operation).then((result) =>
      renderEvent(this.deps.operations.shape(result, operation.context)),
    );
    new SharedResult(rendered, this.#handout).take(taker);
  }

  async #execute(event: UserGroupEvent, operation: OpenOperation): Promise<ExecutionResult> {
    const { operations } = this.deps;
    const { source, operationName, variables, context } = operation;
    const prepared = operations.prepare(source, operationName);
    const result = await operations.executeEvent(event, prepared, variables, context);
    const failure = result.errors?.map(domainErrorOf).find(mayStartAgain);
    if (failure) throw failure;
    return result;
  }
}

/** A subscription whose events are rendered. */
export class RenderedSubscription implements EventSource<SubscriptionEvent>, EventTaker<UserGroupEvent> {
  #taker: EventTaker<SubscriptionEvent> | undefined;

  /** @param release called when it has ended, perhaps more than once */
  constructor(
    private readonly events: Subscription,
    private readonly operation: OpenOperation,
    private readonly renderer: EventRenderer,
    private readonly release: () => void,
  ) {}

  follow(taker: EventTaker<SubscriptionEvent>): void {
    this.#taker = taker;
    this.events.follow(this);
  }

  request(): void {
    this.events.request();
  }

  end(): void {
    this.events.end();
    // Nobody may have followed it yet.
    this.release();
  }

  onEvent(event: UserGroupEvent): void {
    this.renderer.render(event, this.operation, (outcome) => {
      if (outcome.status === "rejected") this.events.end(outcome.reason);
      else if (outcome.value.data.length > MAX_EVENT_BYTES) this.#cutOff(outcome.value.data.length);
      else if (event.isCurrent) this.#taker?.onEvent(outcome.value);
      // Its credentials have expired, and their timer ends it.
      else this.events.request();
    });
  }

  onEnd(error?: Error): void {
    this.release();
    if (error instanceof DomainError && error.code === "slow_consumer") this.#count(error.code);
    this.#taker?.onEnd(error);
  }

  /** Renders the error that ended it, for a client that must not start it again. */
  renderFailure(error: unknown): Buffer {
    const { result } = this.renderer.deps.operations.fail(error, this.operation.context);
    return renderEvent({ data: null, ...result }).data;
  }

  #cutOff(bytes: number): void {
    this.#count("event_too_large");
    this.events.end(
      new DomainError(
        "query_too_expensive",
        `An event of this subscription has ${bytes} bytes; at most ${MAX_EVENT_BYTES} are allowed. Subscribe to fewer fields.`,
        { details: { limit: MAX_EVENT_BYTES, actual: bytes } },
      ),
    );
  }

  #count(reason: string): void {
    this.renderer.deps.metrics.streamCutOffs.inc({ reason });
  }
}

/** Returns a key of everything but the group that affects the result. The scope matters because it decides whether tokens are shown. */
function keyOf(
  { kind }: UserGroupEvent,
  { source, operationName, variables, context: { session } }: OpenOperation,
): string {
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([kind, session?.kind, scope, operationName, variables, source]);
}

/** Renders a result, encoded once for all of its streams. */
export function renderEvent(result: FormattedExecutionResult): SubscriptionEvent {
  return { result, data: Buffer.from(`event: next\ndata: ${stringifyReply(result)}\n\n`) };
}
