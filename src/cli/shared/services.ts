import { serviceOptions } from "../../app/service-options.js";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import type { Admin } from "../../domain/accounts/caller.js";
import { createServices, type Services } from "../../services/services.js";
import { type AccountChoice, withAccount } from "./account.js";

/** The account and environment of a change, and its author for the audit log. */
export interface AuthoredChoice extends AccountChoice {
  readonly author: string;
}

/**
 * Runs a command with the services, and admin access to one environment of an account. Changes are published to running processes.
 * @throws OperatorError as `withAccount` does
 */
export async function withServices<Result>(
  settings: ProcessEnvironment,
  choice: AccountChoice & Partial<AuthoredChoice>,
  command: (services: Services, admin: Admin) => Promise<Result>,
): Promise<Result> {
  const actor = { name: choice.author ?? "cli", requestId: null };
  return withAccount(settings, choice, actor, async ({ writer, ...storage }) => {
    const options = serviceOptions(readConfig(settings), storage);
    const services = createServices(storage.database, storage.vault, options);
    try {
      return await command(services, { ...writer, scope: "admin" });
    } finally {
      await services.changes.close();
    }
  });
}
