/** State of the webhook outbox. */
export interface OutboxReading {
  readonly due: number;
  readonly lateSeconds: number;
  /** The number of endpoints by status. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Number of transactions since the oldest snapshot of the database. */
  readonly snapshotAge: number;
}

/**
 * Reads the outbox for each scrape. A scrape must neither wait long for the database nor fail with it.
 * @param read queries the database; not called again while a query is in flight
 */
export function createOutboxReader(read: () => Promise<OutboxReading>, timeoutMs: number) {
  let reading: Promise<OutboxReading> | undefined;
  let last: OutboxReading | undefined;
  return {
    /** Undefined if the last read failed or timed out. */
    get last(): OutboxReading | undefined {
      return last;
    },
    async refresh(): Promise<void> {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      // user_groups_webhook_outbox_readable reports the failure.
      last = await within(timeoutMs, reading).catch(() => undefined);
    },
  };
}

async function within<Value>(milliseconds: number, value: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("Reading the database timed out.")), milliseconds);
  });
  return Promise.race([value, timeout]).finally(() => clearTimeout(timer));
}
