import { randomUUID } from "node:crypto";
import type { Scope } from "../../../src/domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../../src/domain/accounts/environment.js";
import type { Services } from "../../../src/services/services.js";

export interface TestAccount {
  readonly accountId: number;
  readonly name: string;
  /** Creates an API key: Customer and admin by default. */
  createKey(options?: {
    readonly environment?: Environment;
    readonly scope?: Scope;
    readonly expiresAt?: Date;
  }): Promise<{ readonly secret: string; readonly id: number }>;
}

/** Creates an account with two data sources in each environment, `sales` and `support`. */
export async function createAccount({ accounts, dataSources }: Services): Promise<TestAccount> {
  const name = `account ${randomUUID()}`;
  const { accountId } = await accounts.ensure(name);
  for (const environment of ENVIRONMENTS) {
    const writer = {
      accountId,
      accountName: name,
      environment,
      keyId: 0,
      actor: { keyId: null, name: "test", requestId: null },
      tokenKeyId: "none",
      scope: "admin",
    } as const;
    await dataSources.create(writer, "sales", "Sales database");
    await dataSources.create(writer, "support", "Support database");
  }
  return {
    accountId,
    name,
    async createKey({ environment = "Customer", scope = "admin", expiresAt } = {}) {
      const key = { environment, scope, name: "test", expiresAt: expiresAt ?? null };
      const { secret, apiKey } = await accounts.createKey({ accountId }, key);
      return { secret, id: apiKey.id };
    },
  };
}
