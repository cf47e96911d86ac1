/**
 * Reads the database for each scrape. A scrape must neither wait long for the database nor fail with it.
 * @param read queries the database; not called again while a query is in flight
 */
export function createDatabaseReader<Reading>(read: () => Promise<Reading>, timeoutMs: number) {
  let reading: Promise<Reading> | undefined;
  let last: Reading | undefined;
  return {
    /** Undefined if the last read failed or timed out. */
    get last(): Reading | undefined {
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
