/**
 * Wraps a generator so that `return` ends its event source first. A generator that awaits a value cannot return before the value
 * arrives, which may never happen: disconnected clients would leak memory.
 */
export function withPromptReturn<Event>(
  events: AsyncGenerator<Event, void, undefined>,
  end: () => void,
): AsyncIterableIterator<Event> {
  return {
    next: () => events.next(),
    async return() {
      end();
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
