import type { FastifyInstance } from "fastify";
import type { Config } from "./config.js";
import { databaseOptions } from "./database-settings.js";
import type { Telemetry } from "./domain/telemetry/telemetry.js";
import { ReadReplicas } from "./persistence/read-replicas.js";

/** The replicas that the settings name, not looked at yet; undefined where they name none. */
export function createReplicas(config: Config, telemetry: Telemetry): ReadReplicas | undefined {
  const { databaseUrl: url, databaseReplicaUrls: replicas } = config;
  if (url === undefined || replicas.length === 0) return undefined;
  return new ReadReplicas(
    { url },
    replicas.map((replica) => databaseOptions(config, { url: replica }, telemetry)),
    config.databaseReplicaMaxLagMs,
  );
}

/** Reads from replicas for as long as the server runs. */
export async function joinReplicas(replicas: ReadReplicas, server: FastifyInstance): Promise<void> {
  server.addHook("onClose", () => replicas.close());
  await replicas.start({
    onLeftOut: (replica, reason) => {
      server.log.warn(
        { replica, err: reason },
        "a replica is left out: what it would read comes from others",
      );
    },
    onBack: (replica) => server.log.warn({ replica }, "a replica is back"),
  });
}
