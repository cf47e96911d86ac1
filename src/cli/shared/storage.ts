import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { INSUFFICIENT_PRIVILEGE, openStorage, type Storage, type StorageOptions } from "../../app/storage.js";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import { DomainError } from "../../domain/shared/errors.js";
import { missingPrivilege, OperatorError } from "../../domain/shared/operator-error.js";
import { errorCode } from "../../domain/shared/system-error-code.js";

/**
 * Opens the database for one command; attaches to the embedded server if it is already running.
 * @throws OperatorError as `openStorage` does, and for domain errors of the command
 */
export async function withStorage<Result>(
  environment: ProcessEnvironment,
  options: Pick<StorageOptions, "migrate" | "role">,
  command: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment);
  const warn = (message: string) => void process.stderr.write(`${message}\n`);
  if (config.databaseUrl === undefined && !existsSync(config.dataDir)) {
    warn(
      `Creating an empty database in ${resolve(config.dataDir)}. To use another one, set DATA_DIR or DATABASE_URL.`,
    );
  }
  const storage = await openStorage(config, { ...options, adopt: true, warn });
  try {
    return await command(storage);
  } catch (error) {
    if (error instanceof DomainError) throw new OperatorError(messageOf(error), { cause: error });
    if (!(error instanceof Error) || errorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw missingPrivilege(`a privilege: ${error.message}`, { cause: error });
  } finally {
    await storage.close();
  }
}

function messageOf({ code, field, message }: DomainError): string {
  return code === "invalid_field" && field ? `${field.join(".")} ${message}.` : message;
}
