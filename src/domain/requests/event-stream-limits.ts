/** Limits on open event streams. */
export interface EventStreamLimits {
  /** Maximum streams of a user group: each open page of its users needs one. */
  readonly perToken: number;
  /** Maximum streams per API key. */
  readonly perKey: number;
  /** Maximum streams per client address: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly perAddress: number;
  /** Maximum streams per process. */
  readonly perProcess: number;
}

/** Returns the limits of a process with this many streams. */
export function eventStreamLimits(perProcess: number): EventStreamLimits {
  return {
    perToken: Math.ceil(perProcess / 10),
    perKey: Math.ceil(perProcess / 5),
    perAddress: Math.ceil(perProcess * 0.4),
    perProcess,
  };
}

export const DEFAULT_EVENT_STREAM_LIMITS = eventStreamLimits(5000);
