import pino from "pino";
import type { Config } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { saveDemoKey } from "../../embedded-postgres/secrets-file.js";
import { requireFreePort } from "../../http/server/listening.js";
import { AccountService } from "../../services/accounts/account-service.js";
import { createDemoAccount, type DemoSecrets } from "../../services/data-sources/demo-account.js";
import { DataSourceService } from "../../services/data-sources/service.js";
import { countOnly } from "../../telemetry/telemetry.js";
import { startUpText } from "../banner.js";
import { openLog } from "../log-destination.js";
import { stopSignal } from "../stop-signal.js";
import { openStorage, type Storage } from "../storage.js";
import { WorkerPool } from "./worker-pool.js";

/**
 * Runs the service in several processes until it receives SIGINT or SIGTERM. SIGHUP restarts the workers one by one. The primary process
 * applies migrations and runs the embedded PostgreSQL; the workers serve.
 * @throws OperatorError when a setting, the port or the database is unusable, or the embedded PostgreSQL ends
 */
export async function servePrimary(config: Config): Promise<void> {
  await requireFreePort(config.host, config.port);
  const log = pino({ level: config.logLevel }, openLog());
  const storage = await openStorage(config, {
    adopt: false,
    migrate: true,
    warn: (message) => log.warn(message),
  });
  const workers = new WorkerPool(config.workers, log);
  try {
    const demo = await createDemo(storage, config);
    const url = await workers.start();
    process.on("SIGHUP", () => void workers.restart());
    const stopped = stopSignal();
    process.stdout.write(startUpText({ url, serverVersion: storage.serverVersion, demo }, config));
    const serverEnd = await Promise.race([stopped, storage.serverEnded]);
    if (serverEnd !== undefined)
      throw new OperatorError(`The embedded PostgreSQL server has ended (${serverEnd}).`);
  } finally {
    await workers.stop();
    await storage.close();
  }
}

/** Creates the demo account before the workers start, as they read its key for the playground. */
async function createDemo({ database, vault }: Storage, config: Config): Promise<DemoSecrets | null> {
  if (config.databaseUrl !== undefined) return null;
  const accounts = new AccountService(database, vault);
  const batching = { isOn: false, telemetry: countOnly() };
  // Nobody has subscribed yet.
  const dataSources = new DataSourceService(database, batching, { publish: () => undefined });
  const demo = await createDemoAccount(accounts, dataSources);
  if (demo) await saveDemoKey(config.dataDir, demo.customerKey);
  return demo;
}
