import type { Writer } from "../domain/caller.js";
import type { AccountService } from "./account-service.js";
import type { DataSourceService } from "./data-source-service.js";

const ACCOUNT = "demo";
const DATA_SOURCES = [
  { providedId: "demo-sales", name: "Sales database" },
  { providedId: "demo-support", name: "Support database" },
];

export interface DemoSecrets {
  readonly customerKey: string;
  readonly testingKey: string;
  readonly dataSourceProvidedId: string;
}

/**
 * Fills an empty service with something to try: an account, two data sources and a key for each environment.
 * @returns the keys' secrets; null when the account is there already
 */
export async function createDemoAccount(
  accounts: AccountService,
  dataSources: DataSourceService,
): Promise<DemoSecrets | null> {
  const { accountId, created } = await accounts.ensure(ACCOUNT);
  if (!created) return null;
  const key = { scope: "admin", name: "demo", expiresAt: null } as const;
  const customer = await accounts.createKey(accountId, { ...key, environment: "Customer" });
  const testing = await accounts.createKey(accountId, { ...key, environment: "Testing" });
  const writer: Writer = {
    accountId,
    accountName: ACCOUNT,
    environment: "Customer",
    keyId: customer.apiKey.id,
    tokenKeyId: accounts.tokenKeyId,
    scope: "admin",
  };
  for (const { providedId, name } of DATA_SOURCES) await dataSources.create(writer, providedId, name);
  return {
    customerKey: customer.secret,
    testingKey: testing.secret,
    dataSourceProvidedId: DATA_SOURCES[0]?.providedId ?? "",
  };
}
