import { DataSource } from "typeorm";
import { CreateCoreTables1763704800000 } from "../../../migrations/1763704800000-create-core-tables.js";
import { IndexLists1763800000000 } from "../../../migrations/1763800000000-index-lists.js";
import { CreateSiteConfigs1764000000000 } from "../../../migrations/1764000000000-create-site-configs.js";
import { RowLevelSecurity1764100000000 } from "../../../migrations/1764100000000-row-level-security.js";
import { AuditLog1764200000000 } from "../../../migrations/1764200000000-audit-log.js";
import { Webhooks1764300000000 } from "../../../migrations/1764300000000-webhooks.js";
import { IdempotentRequests1764400000000 } from "../../../migrations/1764400000000-idempotent-requests.js";
import { AuditSharedStatements1764500000000 } from "../../../migrations/1764500000000-audit-shared-statements.js";
import { AuditActorOnce1764600000000 } from "../../../migrations/1764600000000-audit-actor-once.js";
import { BroughtTokens1764700000000 } from "../../../migrations/1764700000000-brought-tokens.js";
import { AnalyzeImports1764710000000 } from "../../../migrations/1764710000000-analyze-imports.js";
import { DataSourcesByEnvironment1764800000000 } from "../../../migrations/1764800000000-data-sources-by-environment.js";
import { TenantPolicies1764801000000 } from "../../../migrations/1764801000000-tenant-policies.js";
import { EmbedScope1764802000000 } from "../../../migrations/1764802000000-embed-scope.js";
import { IndexPages1764820000000 } from "../../../migrations/1764820000000-index-pages.js";
import { WebhookEndpointHealth1764821000000 } from "../../../migrations/1764821000000-webhook-endpoint-health.js";
import { NotifyRevokedKeys1764830000000 } from "../../../migrations/1764830000000-notify-revoked-keys.js";
import { AuditRequestsByToken1764840000000 } from "../../../migrations/1764840000000-audit-requests-by-token.js";
import { DeleteSiteConfigs1764850000000 } from "../../../migrations/1764850000000-delete-site-configs.js";
import { IndexSiteConfigUpdates1764851000000 } from "../../../migrations/1764851000000-index-site-config-updates.js";
import { EmbedSessions1764860000000 } from "../../../migrations/1764860000000-embed-sessions.js";
import { ConsoleSessions1764861000000 } from "../../../migrations/1764861000000-console-sessions.js";
import { SequencesForIds1764900000000 } from "../../../migrations/1764900000000-sequences-for-ids.js";
import { AuditByStatements1764901000000 } from "../../../migrations/1764901000000-audit-by-statements.js";
import { Purge1764910000000 } from "../../../migrations/1764910000000-purge.js";
import { PurgeIndexes1764911000000 } from "../../../migrations/1764911000000-purge-indexes.js";
import { MaintenanceSettings1764920000000 } from "../../../migrations/1764920000000-maintenance-settings.js";
import { InitialStatistics1764921000000 } from "../../../migrations/1764921000000-initial-statistics.js";
import { AuditRequests1764930000000 } from "../../../migrations/1764930000000-audit-requests.js";
import { SixtyFourBitIds1764950000000 } from "../../../migrations/1764950000000-64-bit-ids.js";
import { StatisticsOf64BitIds1764950100000 } from "../../../migrations/1764950100000-statistics-of-64-bit-ids.js";
import { IndexAuditActors1765010000000 } from "../../../migrations/1765010000000-index-audit-actors.js";
import { IndexDeliveriesByEndpointAndState1765020000000 } from "../../../migrations/1765020000000-index-deliveries-by-endpoint-and-state.js";
import { GroupsOfStoredReplies1765030000000 } from "../../../migrations/1765030000000-groups-of-stored-replies.js";
import { AccountEntity } from "../accounts/account-entity.js";
import { ApiKeyEntity } from "../accounts/api-key-entity.js";
import { AuditEntryEntity } from "../audit/entry-entity.js";
import { SigningKeyEntity } from "../authentication/signing-key-entity.js";
import { DataSourceEntity } from "../data-sources/entity.js";
import {
  connectionSettings,
  type DatabaseOptions,
  IDLE_MS,
  sharesLookups,
} from "../shared/database-options.js";
import { SiteConfigEntity } from "../site-configs/entity.js";
import { SiteConfigRevisionEntity } from "../site-configs/revision-entity.js";
import { UserGroupEntity } from "../user-groups/entity.js";
import { MappingEntryEntity } from "../user-groups/mapping-entry-entity.js";
import { WebhookDeliveryEntity } from "../webhooks/delivery-entity.js";
import { WebhookEndpointEntity } from "../webhooks/endpoint-entity.js";

/** Creates the TypeORM data source: entities, migrations and connection pool. */
export function createOrm(options: DatabaseOptions): DataSource {
  return new DataSource({
    type: "postgres",
    ...connectionOptions(options.target),
    entities: [
      AccountEntity,
      ApiKeyEntity,
      AuditEntryEntity,
      DataSourceEntity,
      MappingEntryEntity,
      SigningKeyEntity,
      SiteConfigEntity,
      SiteConfigRevisionEntity,
      UserGroupEntity,
      WebhookDeliveryEntity,
      WebhookEndpointEntity,
    ],
    migrations: [
      CreateCoreTables1763704800000,
      IndexLists1763800000000,
      CreateSiteConfigs1764000000000,
      RowLevelSecurity1764100000000,
      AuditLog1764200000000,
      Webhooks1764300000000,
      IdempotentRequests1764400000000,
      AuditSharedStatements1764500000000,
      AuditActorOnce1764600000000,
      BroughtTokens1764700000000,
      AnalyzeImports1764710000000,
      DataSourcesByEnvironment1764800000000,
      TenantPolicies1764801000000,
      EmbedScope1764802000000,
      IndexPages1764820000000,
      WebhookEndpointHealth1764821000000,
      NotifyRevokedKeys1764830000000,
      AuditRequestsByToken1764840000000,
      DeleteSiteConfigs1764850000000,
      IndexSiteConfigUpdates1764851000000,
      EmbedSessions1764860000000,
      ConsoleSessions1764861000000,
      SequencesForIds1764900000000,
      AuditByStatements1764901000000,
      Purge1764910000000,
      PurgeIndexes1764911000000,
      MaintenanceSettings1764920000000,
      InitialStatistics1764921000000,
      AuditRequests1764930000000,
      SixtyFourBitIds1764950000000,
      StatisticsOf64BitIds1764950100000,
      IndexAuditActors1765010000000,
      IndexDeliveriesByEndpointAndState1765020000000,
      GroupsOfStoredReplies1765030000000,
    ],
    migrationsTableName: "schema_migration",
    synchronize: false,
    installExtensions: false,
    logging: false,
    // TypeORM's default logger prints failed migrations to stdout despite `logging: false`; their errors are thrown anyway.
    logger: "debug",
    extra: {
      ...connectionSettings(options),
      max: options.poolSize - (sharesLookups(options) ? 1 : 0),
      idleTimeoutMillis: IDLE_MS,
    },
  });
}

function connectionOptions(target: DatabaseOptions["target"]) {
  if ("url" in target) return { url: target.url };
  const { user, ...rest } = target;
  return { ...rest, username: user };
}
