import type { TokenVault } from "../domain/token-vault.js";
import type { Database, DatabaseOptions } from "../persistence/database.js";
import { NotificationChannel } from "../persistence/notification-channel.js";
import { UserGroupIds } from "../persistence/user-group-ids.js";
import { Access } from "./access.js";
import { AccountService } from "./account-service.js";
import { ApiKeyService } from "./api-key-service.js";
import { AuditLog } from "./audit-log.js";
import { ChangeFeed } from "./change-feed.js";
import { DataSourceService } from "./data-source-service.js";
import { KeyUsage } from "./key-usage.js";
import { KeyWatch } from "./key-watch.js";
import { Listing } from "./listing.js";
import { MappingService } from "./mapping-service.js";
import { SiteConfigReader } from "./site-config-reader.js";
import { SiteConfigService } from "./site-config-service.js";
import { UserGroupReader } from "./user-group-reader.js";
import { UserGroupService } from "./user-group-service.js";
import { UserGroupUpserts } from "./user-group-upserts.js";
import { type DispatcherTimes, WebhookDispatcher } from "./webhook-dispatcher.js";
import { WebhookSender } from "./webhook-sender.js";
import { WebhookService } from "./webhook-service.js";
import { type WebhookTargetOptions, WebhookTargets } from "./webhook-targets.js";

/** Everything the service can do; both faces are built upon it. */
export interface Services {
  readonly access: Access;
  readonly accounts: AccountService;
  readonly apiKeys: ApiKeyService;
  readonly auditLog: AuditLog;
  readonly changes: ChangeFeed;
  readonly dataSources: DataSourceService;
  readonly keyUsage: KeyUsage;
  readonly keyWatch: KeyWatch;
  readonly listing: Listing;
  readonly mappings: MappingService;
  readonly siteConfigs: SiteConfigService;
  readonly siteConfigReader: SiteConfigReader;
  readonly userGroups: UserGroupService;
  readonly userGroupReader: UserGroupReader;
  readonly userGroupUpserts: UserGroupUpserts;
  readonly webhooks: WebhookService;
  readonly webhookDispatcher: WebhookDispatcher;
  /** @throws DomainError `unavailable` when the database is out of reach */
  checkReadiness(): Promise<void>;
}

export interface ServiceOptions {
  /** How long a rotated token may still be used to read. */
  readonly tokenGraceSeconds: number;
  /** Where to listen for changes: the database itself, not a pooler in transaction mode. */
  readonly listenTarget: DatabaseOptions["target"];
  /** Where webhooks may go. */
  readonly webhooks: WebhookTargetOptions & { readonly times?: Partial<DispatcherTimes> };
}

export function createServices(database: Database, vault: TokenVault, options: ServiceOptions): Services {
  const accounts = new AccountService(database, vault);
  const changes = new ChangeFeed(new NotificationChannel(database, options.listenTarget));
  const ids = new UserGroupIds(database);
  const keyUsage = new KeyUsage(database);
  const targets = new WebhookTargets(options.webhooks);
  const sender = new WebhookSender(targets);
  return {
    access: new Access(database, vault, keyUsage),
    accounts,
    apiKeys: new ApiKeyService(database, accounts),
    auditLog: new AuditLog(database),
    changes,
    dataSources: new DataSourceService(database),
    keyUsage,
    keyWatch: new KeyWatch(database),
    listing: new Listing(database),
    mappings: new MappingService(database, vault, changes),
    siteConfigs: new SiteConfigService(database),
    siteConfigReader: new SiteConfigReader(database),
    userGroups: new UserGroupService(database, ids, vault, changes, options.tokenGraceSeconds),
    userGroupReader: new UserGroupReader(database, vault),
    userGroupUpserts: new UserGroupUpserts(database, ids, vault, changes),
    webhooks: new WebhookService(database, vault, targets),
    webhookDispatcher: new WebhookDispatcher(database, vault, sender, options.webhooks.times),
    async checkReadiness() {
      await database.run({ name: "readiness", text: "SELECT 1 AS ready" }, []);
    },
  };
}
