import type { ExecutionResult, FormattedExecutionResult } from "graphql";
import type { GraphqlContext } from "../../shared/context.js";
import type { WatchEvent } from "../../user-groups/watch-event.js";
import type { Variables } from "../limits/amount.js";

/** An open subscription. A parsed document takes a hundred times the memory of its text, so only the text is kept. */
export interface OpenSubscription {
  readonly source: string;
  readonly operationName: string | undefined;
  readonly variables: Variables;
  readonly context: GraphqlContext;
}

type Execute = () => Promise<ExecutionResult>;

/** Renders each event once for all streams with the same result: a thousand viewers of one dashboard send the same document. */
export class EventRenderer {
  readonly #rendered = new WeakMap<object, Map<string, Promise<Buffer | null>>>();

  /**
   * @param execute executes the subscription's operation for the event
   * @param shape shapes a result for the client of this stream
   */
  async render(
    event: WatchEvent,
    subscription: OpenSubscription,
    execute: Execute,
    shape: (result: ExecutionResult) => FormattedExecutionResult,
  ): Promise<Buffer> {
    const { shared } = event;
    const rendered = shared && (await this.#once(shared, keyOf(subscription), execute));
    return rendered ?? encodeEvent(shape(await execute()));
  }

  /** @returns null for a result with errors: they contain the id of the stream's request */
  #once(shared: object, key: string, execute: Execute): Promise<Buffer | null> {
    const ofEvent = this.#rendered.get(shared) ?? new Map<string, Promise<Buffer | null>>();
    this.#rendered.set(shared, ofEvent);
    const known = ofEvent.get(key);
    if (known) return known;
    const rendered = execute().then(({ data = null, errors }) => (errors ? null : encodeEvent({ data })));
    ofEvent.set(key, rendered);
    return rendered;
  }
}

/** The result depends on these beside the event, which belongs to one tenant. The scope decides whether tokens are shown. */
function keyOf({ source, operationName, variables, context: { session } }: OpenSubscription): string {
  const scope = session?.kind === "caller" ? session.caller.scope : "";
  return JSON.stringify([session?.kind, scope, operationName, variables, source]);
}

/** Encodes the result of an event as it is sent. */
export function encodeEvent(result: FormattedExecutionResult): Buffer {
  return Buffer.from(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
}
