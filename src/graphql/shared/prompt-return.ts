/**
 * Wraps an iterator, such as a generator, so that `return` ends its event source first. A generator that awaits a value cannot return before
 * the value arrives, which may never happen: disconnected clients would leak memory.
 */
export function withPromptReturn<Event>(
  events: Pick<AsyncIterator<Event, void, undefined>, "next" | "return">,
  end: () => void,
): AsyncIterableIterator<Event> {
  return new PromptReturn(events, end);
}

class PromptReturn<Event> implements AsyncIterableIterator<Event> {
  constructor(
    private readonly events: Pick<AsyncIterator<Event, void, undefined>, "next" | "return">,
    private readonly end: () => void,
  ) {}

  next(): Promise<IteratorResult<Event, void>> {
    return this.events.next();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    await this.events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
