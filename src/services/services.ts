import type { TokenVault } from "../domain/token-vault.js";
import type { Database } from "../persistence/database.js";
import { UserGroupIds } from "../persistence/user-group-ids.js";
import { Access } from "./access.js";
import { AccountService } from "./account-service.js";
import { ApiKeyService } from "./api-key-service.js";
import { DataSourceService } from "./data-source-service.js";
import { KeyUsage } from "./key-usage.js";
import { Listing } from "./listing.js";
import { MappingService } from "./mapping-service.js";
import { UserGroupReader } from "./user-group-reader.js";
import { UserGroupService } from "./user-group-service.js";
import { UserGroupUpserts } from "./user-group-upserts.js";

/** Everything the service can do; both faces are built upon it. */
export interface Services {
  readonly access: Access;
  readonly accounts: AccountService;
  readonly apiKeys: ApiKeyService;
  readonly dataSources: DataSourceService;
  readonly keyUsage: KeyUsage;
  readonly listing: Listing;
  readonly mappings: MappingService;
  readonly userGroups: UserGroupService;
  readonly userGroupReader: UserGroupReader;
  readonly userGroupUpserts: UserGroupUpserts;
  /** @throws DomainError `unavailable` when the database is out of reach */
  checkReadiness(): Promise<void>;
}

/** @param options.tokenGraceSeconds how long a rotated token may still be used to read */
export function createServices(
  database: Database,
  vault: TokenVault,
  options: { readonly tokenGraceSeconds: number },
): Services {
  const ids = new UserGroupIds(database);
  const accounts = new AccountService(database, vault);
  const keyUsage = new KeyUsage(database);
  return {
    access: new Access(database, vault, keyUsage),
    accounts,
    apiKeys: new ApiKeyService(database, accounts),
    dataSources: new DataSourceService(database),
    keyUsage,
    listing: new Listing(database),
    mappings: new MappingService(database, vault),
    userGroups: new UserGroupService(database, new UserGroupIds(database), vault, options.tokenGraceSeconds),
    userGroupReader: new UserGroupReader(database, vault),
    userGroupUpserts: new UserGroupUpserts(database, ids, vault),
    async checkReadiness() {
      await database.run({ name: "readiness", text: "SELECT 1 AS ready" }, []);
    },
  };
}
