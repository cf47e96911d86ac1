import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.js";
import { databaseOptions } from "../config/database-options.js";
import { ReadReplicas } from "../persistence/database/read-replicas.js";
import type { Telemetry } from "../telemetry/telemetry.js";

/** The replicas that the settings name. */
export interface Replicas {
  readonly reads: ReadReplicas;
  /** How many are used, and left out. */
  readonly usage: { readonly in: number; readonly out: number };
  /** Reads from them for as long as the server runs. */
  join(server: FastifyInstance): Promise<void>;
}

/** The replicas that the settings name, not looked at yet; undefined where they name none. */
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
    async join(server) {
      server.addHook("onClose", () => reads.close());
      await reads.start({
        onLeftOut(replica, reason) {
          out += 1;
          server.log.warn(
            { replica, err: reason },
            "a replica is left out: what it would read comes from others",
          );
        },
        onBack(replica) {
          out -= 1;
          server.log.warn({ replica }, "a replica is back");
        },
      });
    },
  };
}
