import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.js";
import { databaseOptions } from "../config/database-options.js";
import { ReadReplicas } from "../persistence/database/read-replicas.js";
import type { Telemetry } from "../telemetry/telemetry.js";

/** The configured read replicas. */
export interface Replicas {
  readonly reads: ReadReplicas;
  /** Number of replicas in use and excluded. */
  readonly usage: { readonly in: number; readonly out: number };
  /** Starts using the replicas until the server closes. */
  start(server: FastifyInstance): Promise<void>;
}

/** Creates the configured replicas, not probed yet; undefined if none are configured. */
export function createReplicas(config: Config, telemetry: Telemetry): Replicas | undefined {
  const { databaseUrl: url, databaseReplicaUrls: urls } = config;
  if (url === undefined || urls.length === 0) return undefined;
  const reads = new ReadReplicas(
    { url },
    urls.map((replica) => ({
      ...databaseOptions(config, { url: replica }, telemetry),
      server: "replica",
    })),
    config.databaseReplicaMaxLagMs,
  );
  let out = 0;
  return {
    reads,
    get usage() {
      return { in: urls.length - out, out };
    },
    async start(server) {
      server.addHook("onClose", () => reads.close());
      await reads.start({
        onExcluded(replica, reason) {
          out += 1;
          server.log.warn({ replica, err: reason }, "a replica was excluded: its reads go to other servers");
        },
        onRestored(replica) {
          out -= 1;
          server.log.warn({ replica }, "a replica is in use again");
        },
      });
    },
  };
}
