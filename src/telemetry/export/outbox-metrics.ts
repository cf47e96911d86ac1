import { Gauge, type Registry } from "prom-client";

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
 * Registers the metrics of the outbox, which is read once for each scrape. A scrape must neither wait long for the database nor fail with it.
 * @param read queries the database; not called again while a query is in flight
 */
export function registerOutboxMetrics(
  registry: Registry,
  read: () => Promise<OutboxReading>,
  timeoutMs: number,
): void {
  const registers = [registry];
  let query: Promise<OutboxReading> | undefined;
  let scrape: Promise<OutboxReading | undefined> | undefined;
  /** Undefined if reading failed or timed out, which user_groups_webhook_outbox_readable reports. */
  const readOnce = () => {
    query ??= read().finally(() => {
      query = undefined;
    });
    scrape ??= within(timeoutMs, query)
      .catch(() => undefined)
      .finally(() => {
        scrape = undefined;
      });
    return scrape;
  };
  const setFrom = (pick: (reading: OutboxReading) => number) =>
    async function collect(this: Gauge): Promise<void> {
      const reading = await readOnce();
      if (reading) this.set(pick(reading));
      else this.remove();
    };
  new Gauge({
    name: "user_groups_webhook_outbox_readable",
    help: "1 if the outbox could be read for this scrape; if 0, its other metrics are absent.",
    registers,
    async collect() {
      this.set(Number((await readOnce()) !== undefined));
    },
  });
  new Gauge({
    name: "user_groups_webhook_deliveries_due",
    help: "Due webhook deliveries of all processes, at most 1,000 per endpoint.",
    registers,
    collect: setFrom(({ due }) => due),
  });
  new Gauge({
    name: "user_groups_webhook_lateness_seconds",
    help: "Age of the oldest due webhook delivery; excludes those that wait for an earlier event or a failing endpoint.",
    registers,
    collect: setFrom(({ lateSeconds }) => lateSeconds),
  });
  new Gauge({
    name: "user_groups_database_snapshot_age_transactions",
    help: "Transactions since the oldest snapshot in the database, since which VACUUM removes no dead rows.",
    registers,
    collect: setFrom(({ snapshotAge }) => snapshotAge),
  });
  new Gauge({
    name: "user_groups_webhook_endpoints",
    help: "Webhook endpoints of all accounts by status: unknown (nothing sent yet), healthy, failing or disabled.",
    labelNames: ["status"],
    registers,
    async collect() {
      const { endpoints = {} } = (await readOnce()) ?? {};
      this.reset();
      for (const [status, count] of Object.entries(endpoints)) this.set({ status }, count);
    },
  });
}

async function within<Value>(milliseconds: number, value: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("Reading the database timed out.")), milliseconds);
  });
  return Promise.race([value, timeout]).finally(() => clearTimeout(timer));
}
