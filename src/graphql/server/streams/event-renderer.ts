import type { ExecutionResult } from "graphql";
import type { GraphqlContext } from "../../shared/context.js";
import type { WatchEvent } from "../../user-groups/watch-event.js";

/** A subscription as far as the results of its events depend on it. */
export interface RenderedSubscription {
  readonly source: string;
  readonly operationName: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly contextValue: GraphqlContext;
}

/** Renders each event once for all streams that get the same of it: a thousand viewers of one dashboard send the same document. */
export class EventRenderer {
  readonly #rendered = new WeakMap<object, Map<string, Promise<Buffer | null>>>();

  /**
   * @param run runs the subscription's operation for the event
   * @param toShown makes of a result with errors what this stream's client sees
   */
  async render(
    event: WatchEvent,
    subscription: RenderedSubscription,
    run: () => Promise<ExecutionResult> | ExecutionResult,
    toShown: (result: ExecutionResult) => ExecutionResult,
  ): Promise<Buffer> {
    const { shared } = event;
    const rendered = shared && (await this.#once(shared, keyOf(subscription), run));
    return rendered ?? encodeEvent(toShown(await run()));
  }

  /** @returns null for a result with errors: they name the request of the stream */
  #once(
    shared: object,
    key: string,
    run: () => Promise<ExecutionResult> | ExecutionResult,
  ): Promise<Buffer | null> {
    const ofEvent = this.#rendered.get(shared) ?? new Map<string, Promise<Buffer | null>>();
    this.#rendered.set(shared, ofEvent);
    const known = ofEvent.get(key);
    if (known) return known;
    const rendered = Promise.resolve(run()).then((result) => (result.errors ? null : encodeEvent(result)));
    ofEvent.set(key, rendered);
    return rendered;
  }
}

/** What a result depends on beside the event, which is of one tenant: what is asked, and whether tokens are shown. */
function keyOf({ source, operationName, variableValues, contextValue }: RenderedSubscription): string {
  const { session } = contextValue;
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([session?.kind, scope, operationName, variableValues, source]);
}

/** An event with a result, as it is sent. */
export function encodeEvent(result: ExecutionResult): Buffer {
  return Buffer.from(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
}
