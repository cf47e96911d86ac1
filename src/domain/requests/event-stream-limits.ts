/** Limits on open event streams. */
export interface EventStreamLimits {
  /** Maximum streams per user group token. */
  readonly perToken: number;
  /** Maximum streams per API key. */
  readonly perKey: number;
  /** Maximum streams per client address: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly perAddress: number;
  /** Maximum streams per process. */
  readonly perProcess: number;
}

export const DEFAULT_EVENT_STREAM_LIMITS: EventStreamLimits = {
  perToken: 20,
  perKey: 1000,
  perAddress: 2000,
  perProcess: 5000,
};
