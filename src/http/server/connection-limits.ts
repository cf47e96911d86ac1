/** Limits on client connections per process. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Maximum connections per address; trusted proxies are exempt. */
  readonly maxConnectionsPerAddress: number;
  /** Timeout for receiving a request: its headers, and the headers with the body. */
  readonly receiveTimeoutMs: number;
  /** Timeout for a peer that reads nothing. */
  readonly stallTimeoutMs: number;
  /** Maximum bytes of replies that peers have not read. */
  readonly maxUnsentBytes: number;
  /** Maximum sum of the sizes of request bodies above 64 KiB. */
  readonly maxBodyBytes: number;
  /** Maximum requests and operations of WebSockets in progress; a client address may have half of them. */
  readonly maxRequestsInProgress: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 2_500,
  receiveTimeoutMs: 30_000,
  stallTimeoutMs: 15_000,
  maxUnsentBytes: 64 * MEGABYTE,
  maxBodyBytes: 64 * MEGABYTE,
  maxRequestsInProgress: 2_000,
};
