/** How many event streams may be open, and how much of them may be unread. */
export interface EventStreamLimits {
  /** Streams that were opened with the tokens of one user group. */
  readonly perToken: number;
  /** Streams that were opened with one API key. */
  readonly perKey: number;
  /** Streams from one client address: an IPv4 address, or the /64 of an IPv6 address. */
  readonly perAddress: number;
  /** Streams of this process. */
  readonly perProcess: number;
  /** Bytes of one stream that its client has not read. */
  readonly unreadBytes: number;
  /** The same of all streams of this process. */
  readonly totalUnreadBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_EVENT_STREAM_LIMITS: EventStreamLimits = {
  perToken: 20,
  perKey: 1000,
  perAddress: 2000,
  perProcess: 5000,
  unreadBytes: MIB,
  totalUnreadBytes: 32 * MIB,
};
