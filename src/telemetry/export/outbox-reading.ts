/** What was read of the webhooks that are to be sent. */
export interface OutboxReading {
  readonly due: number;
  readonly lateSeconds: number;
  /** The number of endpoints by status. */
  readonly endpoints: Readonly<Record<string, number>>;
}

/**
 * Reads the outbox whenever somebody asks for metrics, which must not wait long for the database, nor fail with it.
 * @param read asks the database; not again while an answer is still to come
 */
export function watchOutbox(read: () => Promise<OutboxReading>, timeoutMs: number) {
  let reading: Promise<OutboxReading> | undefined;
  let last: OutboxReading | undefined;
  return {
    /** Undefined where it could not be read in time. */
    get last(): OutboxReading | undefined {
      return last;
    },
    async refresh(): Promise<void> {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      // That it failed is a metric of its own.
      last = await within(timeoutMs, reading).catch(() => undefined);
    },
  };
}

async function within<Value>(milliseconds: number, value: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("It took too long.")), milliseconds);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
