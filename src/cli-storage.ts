import { type ProcessEnvironment, readConfig } from "./config.js";
import { openStorage, type Storage } from "./storage.js";

/**
 * Opens the database for the length of a command: also the embedded one that a running server has started.
 * @throws OperatorError as `openStorage` does
 */
export async function withStorage(
  environment: ProcessEnvironment,
  options: { readonly migrate: boolean },
  command: (storage: Storage) => Promise<void>,
): Promise<void> {
  const storage = await openStorage(readConfig(environment), {
    ...options,
    adopt: true,
    warn: (message) => process.stderr.write(`${message}\n`),
  });
  try {
    await command(storage);
  } finally {
    await storage.close();
  }
}
