import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import type { GraphqlContext } from "../../shared/context.js";
import type { WatchEvent } from "../../user-groups/watch-event.js";
import type { Variables } from "../limits/amount.js";

/** An open subscription. It holds the source only: a parsed document takes a hundred times the memory. */
export interface OpenSubscription {
  readonly source: string;
  readonly operationName: string | undefined;
  readonly variables: Variables;
  readonly context: GraphqlContext;
}

type Execute = () => Promise<ExecutionResult>;

/** Renders each event once for all streams with the same result, such as the viewers of one dashboard. */
export class EventRenderer {
  readonly #rendered = new WeakMap<object, Map<string, Promise<Buffer | null>>>();

  /**
   * @param execute executes the subscription's operation for the event
   * @param shape formats a result for the client of this stream
   */
  async render(
    event: WatchEvent,
    subscription: OpenSubscription,
    execute: Execute,
    shape: (result: ExecutionResult) => FormattedExecutionResult,
  ): Promise<Buffer> {
    const { shared } = event;
    const rendered = shared && (await this.#renderOnce(shared, keyOf(subscription), execute));
    return rendered ?? encodeEvent(shape(await execute()));
  }

  /** Returns null for a result with errors, which cannot be shared: they contain the request ID of the stream. */
  #renderOnce(shared: object, key: string, execute: Execute): Promise<Buffer | null> {
    const eventResults = this.#rendered.get(shared) ?? new Map<string, Promise<Buffer | null>>();
    this.#rendered.set(shared, eventResults);
    const known = eventResults.get(key);
    if (known) return known;
    const rendered = execute().then(({ data = null, errors }) => (errors ? null : encodeEvent({ data })));
    eventResults.set(key, rendered);
    return rendered;
  }
}

/** Returns a key of everything but the event that affects the result. The scope matters because it decides whether tokens are shown. */
function keyOf({ source, operationName, variables, context: { session } }: OpenSubscription): string {
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([session?.kind, scope, operationName, variables, source]);
}

/** Encodes the result of an event as a server-sent event. */
export function encodeEvent(result: FormattedExecutionResult): Buffer {
  return Buffer.from(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
}
