import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../domain/shared/operator-error.js";
import type { EmbeddedAccount } from "./account.js";
import { dataDirArgument } from "./cluster.js";
import { type EmbeddedConnection, prepareDatabase } from "./connection.js";
import { type GuardedProcess, startGuarded } from "./guard.js";
import { explainFailure, isDataDirInUse } from "./log.js";

// Crash recovery of a large database may take long.
const startTimeoutMs = 120_000;
const pollMs = 20;

/**
 * Starts the server on a cluster and waits until it accepts connections; undefined when another server uses the cluster.
 * @throws OperatorError with the server's error message when it does not start
 */
export async function startServer(options: {
  readonly postgres: string;
  readonly clusterDir: string;
  readonly workspace: string;
  readonly account: EmbeddedAccount | undefined;
  readonly connection: EmbeddedConnection;
  readonly settings: Readonly<Record<string, string>>;
  readonly onLog: ((line: string) => void) | undefined;
}): Promise<GuardedProcess | undefined> {
  const { connection, account, clusterDir } = options;
  const settings = {
    listen_addresses: "",
    port: String(connection.port),
    unix_socket_directories: connection.host,
    unix_socket_permissions: "0700",
    ...options.settings,
  };
  const server = await startGuarded({
    command: [
      options.postgres,
      ...["-D", dataDirArgument(clusterDir, account)],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: clusterDir,
    workspace: options.workspace,
    account,
    onLog: options.onLog,
  });
  if (await becomesReady(server, connection)) {
    server.unref();
    return server;
  }
  const end = await server.ended;
  if (isDataDirInUse(server.logLines())) return undefined;
  throw new OperatorError(
    `The embedded PostgreSQL server did not start: ${explainFailure(server.logLines(), end)}`,
  );
}

async function becomesReady(server: GuardedProcess, connection: EmbeddedConnection): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMs;
  try {
    while (!server.hasEnded()) {
      if (await prepareDatabase(connection)) return true;
      if (Date.now() > deadline) await server.stop();
      else await sleep(pollMs);
    }
    return false;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
