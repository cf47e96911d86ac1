/** State of the webhook outbox. */
export interface OutboxReading {
  readonly due: number;
  readonly lateSeconds: number;
  /** The number of endpoints by status. */
  readonly endpoints: Readonly<Record<string, number>>;
}
