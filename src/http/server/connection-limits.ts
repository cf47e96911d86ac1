/** What clients may occupy of a process. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of each address that is not a trusted proxy. */
  readonly maxConnectionsPerAddress: number;
  /** How long a request may take to arrive: its headers, and with its body. */
  readonly receiveTimeoutMs: number;
  /** How long a peer may take nothing of what is sent to it. */
  readonly stallTimeoutMs: number;
  /** Bytes of replies that peers have not taken yet. */
  readonly maxUnsentBytes: number;
  /** Bytes of bodies that have not arrived as a whole. */
  readonly maxBodyBytes: number;
}

const MEGABYTE = 1024 * 1024;

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 2_500,
  receiveTimeoutMs: 30_000,
  stallTimeoutMs: 15_000,
  maxUnsentBytes: 64 * MEGABYTE,
  maxBodyBytes: 64 * MEGABYTE,
};
