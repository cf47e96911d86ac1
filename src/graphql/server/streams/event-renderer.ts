import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import type { GraphqlContext } from "../../shared/context.js";
import { stringifyReply } from "../../shared/raw-json.js";
import type { WatchEvent } from "../../user-groups/watch-event.js";
import type { OperationRequest } from "./operation-request.js";

/** An open subscription. It holds the source only: a parsed document takes a hundred times the memory. */
export interface OpenSubscription extends OperationRequest {
  readonly context: GraphqlContext;
}

type Execute = () => Promise<ExecutionResult>;

/** The result of an event. */
export interface RenderedEvent {
  readonly result: FormattedExecutionResult;
  /** The result as a server-sent event. */
  readonly data: Buffer;
}

/** Renders each event once for all streams with the same result, such as the viewers of one dashboard. */
export class EventRenderer {
  readonly #rendered = new WeakMap<object, Map<string, Promise<RenderedEvent | null>>>();

  /**
   * @param execute executes the subscription's operation for the event
   * @param shape formats a result for the client of this stream
   */
  async render(
    event: WatchEvent,
    subscription: OpenSubscription,
    execute: Execute,
    shape: (result: ExecutionResult) => FormattedExecutionResult,
  ): Promise<RenderedEvent> {
    const { shared } = event;
    const rendered = shared && (await this.#renderOnce(shared, keyOf(subscription), execute));
    return rendered ?? renderEvent(shape(await execute()));
  }

  /** Returns null for a result with errors, which cannot be shared: they contain the request ID of the stream. */
  #renderOnce(shared: object, key: string, execute: Execute): Promise<RenderedEvent | null> {
    const eventResults = this.#rendered.get(shared) ?? new Map<string, Promise<RenderedEvent | null>>();
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
export function renderEvent(result: FormattedExecutionResult): RenderedEvent {
  return { result, data: Buffer.from(`event: next\ndata: ${stringifyReply(result)}\n\n`) };
}
