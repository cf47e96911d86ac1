import { randomBytes } from "node:crypto";
import { Pool } from "pg";
import { onTestFinished } from "vitest";
import { type App, startApp } from "../../../src/app/app.js";
import { readConfig } from "../../../src/config/config.js";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { Database } from "../../../src/persistence/database/database.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { AccountService } from "../../../src/services/accounts/account-service.js";
import { databaseUrl } from "../postgres/database-url.js";
import { createTestDatabase } from "../postgres/test-database.js";
import { recordLog, recordSecret } from "../secrets/run-record.js";
import { METRICS_TOKEN } from "./metric-samples.js";

/** The service configured by settings, in the test's process, with an account. */
export interface RunningApp {
  readonly app: App;
  readonly url: string;
  /** An admin key of the account in the environment Customer. */
  readonly key: string;
  readonly accountId: number;
  /** The parsed lines of the log. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Runs a statement as a superuser. */
  query(text: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it until the test ends. @param settings environment variables */
export async function startRunningApp(
  settings: Readonly<Record<string, string>> = {},
  until: (end: () => Promise<void>) => void = onTestFinished,
): Promise<RunningApp> {
  const { target, owner, drop } = await createTestDatabase();
  const encryptionKey = randomBytes(32);
  recordSecret("an encryption key", encryptionKey);
  const log: Readonly<Record<string, unknown>>[] = [];
  const stream = {
    write(line: string) {
      recordLog(line);
      log.push(JSON.parse(line));
    },
  };
  const config = readConfig({
    PORT: "0",
    DATABASE_URL: databaseUrl(target),
    DATABASE_MIGRATION_URL: databaseUrl(owner),
    ENCRYPTION_KEYS: encryptionKey.toString("base64"),
    METRICS_TOKEN,
    ...settings,
  });
  const app = await startApp(config, stream);
  const administration = new Pool(clientOptions(owner));
  // Some tests close the connections.
  administration.on("error", () => undefined);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await app.close(0);
    await administration.end();
    await drop();
  };
  until(close);
  const { accountId, key } = await createAccount(target, encryptionKey);
  return { app, url: app.url, key, accountId, log, query: (text) => administration.query(text), close };
}

async function createAccount(target: Parameters<typeof clientOptions>[0], encryptionKey: Buffer) {
  const options = { target, poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000 };
  const database = await Database.connect(options);
  try {
    const accounts = new AccountService(database, new TokenVault([encryptionKey]));
    const { accountId } = await accounts.ensure("Observed account");
    const wish = { environment: "Customer", scope: "admin", name: "Observed key", expiresAt: null } as const;
    return { accountId, key: (await accounts.createKey({ accountId }, wish)).secret };
  } finally {
    await database.close();
  }
}
