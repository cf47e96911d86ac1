import type { Writer } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { AccountService } from "../accounts/account-service.js";
import type { DataSourceService } from "./service.js";

const ACCOUNT = "demo";
/** External ID of a data source that each environment of the demo account has. */
export const DEMO_DATA_SOURCE = "demo-sales";
const DATA_SOURCES = [
  { providedId: DEMO_DATA_SOURCE, name: "Sales database" },
  { providedId: "demo-support", name: "Support database" },
];

export interface DemoSecrets {
  readonly customerKey: string;
  readonly testingKey: string;
  readonly dataSourceProvidedId: string;
}

/**
 * Creates a demo account with an API key and two data sources per environment. A run after an interrupted one creates only what is
 * missing.
 * @returns the keys' secrets; null if the account already has keys
 */
export async function createDemoAccount(
  accounts: AccountService,
  dataSources: DataSourceService,
): Promise<DemoSecrets | null> {
  const { accountId } = await accounts.ensure(ACCOUNT);
  if ((await accounts.listKeys(ACCOUNT)).length > 0) return null;
  const providedIds = DATA_SOURCES.map(({ providedId }) => providedId);
  for (const environment of ENVIRONMENTS) {
    const writer: Writer = {
      accountId,
      accountName: ACCOUNT,
      environment,
      keyId: 0,
      actor: { keyId: null, name: "demo", requestId: null },
      tokenKeyId: accounts.tokenKeyId,
      scope: "admin",
    };
    const present = await Promise.all(providedIds.map((id) => dataSources.byProvidedId.load(writer, id)));
    for (const [index, { providedId, name }] of DATA_SOURCES.entries()) {
      if (!present[index]) await dataSources.create(writer, providedId, name);
    }
  }
  // Create the keys last: their secrets are shown only once.
  const key = { scope: "admin", name: "demo", expiresAt: null } as const;
  const customer = await accounts.createKey({ accountId }, { ...key, environment: "Customer" });
  const testing = await accounts.createKey({ accountId }, { ...key, environment: "Testing" });
  return {
    customerKey: customer.secret,
    testingKey: testing.secret,
    dataSourceProvidedId: DEMO_DATA_SOURCE,
  };
}
