import { DataSource } from "typeorm";
import { Baseline1765100000000 } from "../../../migrations/1765100000000-baseline.js";
import { IndexAuditSubjects1765200000000 } from "../../../migrations/1765200000000-index-audit-subjects.js";
import { CountEmbedSessions1765300000000 } from "../../../migrations/1765300000000-count-embed-sessions.js";
import { UserGroupHistory1765400000000 } from "../../../migrations/1765400000000-user-group-history.js";
import { CountRequests1765500000000 } from "../../../migrations/1765500000000-count-requests.js";
import { IndexOftenChangedGroups1795862000000 } from "../../../migrations/1795862000000-index-often-changed-groups.js";
import { EndedConsoleSessions1795863000000 } from "../../../migrations/1795863000000-ended-console-sessions.js";
import { AddUpUsage1795864100000 } from "../../../migrations/1795864100000-add-up-usage.js";
import { DeriveFromGroups1795864200000 } from "../../../migrations/1795864200000-derive-from-groups.js";
import { DropRecordingTriggers1795865000000 } from "../../../migrations/1795865000000-drop-recording-triggers.js";
import { SessionTemplates1795866000000 } from "../../../migrations/1795866000000-session-templates.js";
import { BulkChanges1796000000000 } from "../../../migrations/1796000000000-bulk-changes.js";
import { IndexFailedDeliveries1796000100000 } from "../../../migrations/1796000100000-index-failed-deliveries.js";
import { PropertySchemas1797000000000 } from "../../../migrations/1797000000000-property-schemas.js";
import { VersionsOfConfiguration1798000000000 } from "../../../migrations/1798000000000-versions-of-configuration.js";
import { AccountEntity, ApiKeyEntity } from "../accounts/entities.js";
import { AuditEntryEntity } from "../audit/entries.js";
import { SigningKeyEntity, TemplateSigningKeyEntity } from "../authentication/signing-keys.js";
import { DataSourceEntity } from "../data-sources/entity.js";
import { SessionTemplateEntity } from "../session-templates/templates.js";
import {
  connectionSettings,
  type DatabaseOptions,
  IDLE_MS,
  sharesLookups,
} from "../shared/database-options.js";
import { SnakeCaseColumns } from "../shared/table.js";
import { SiteConfigEntity, SiteConfigRevisionEntity } from "../site-configs/entities.js";
import { BulkChangeEntity } from "../user-groups/bulk-changes.js";
import { UserGroupEntity } from "../user-groups/entity.js";
import { UserGroupHistoryEntity } from "../user-groups/history.js";
import { MappingEntryEntity } from "../user-groups/mapping-entry-entity.js";
import { PropertySchemaEntity } from "../user-groups/property-schemas.js";
import { WebhookDeliveryEntity } from "../webhooks/deliveries.js";
import { WebhookEndpointEntity } from "../webhooks/endpoints.js";

/** Creates the TypeORM data source: entities, migrations and connection pool. */
export function createOrm(options: DatabaseOptions): DataSource {
  return new DataSource({
    type: "postgres",
    ...connectionOptions(options.target),
    namingStrategy: new SnakeCaseColumns(),
    entities: [
      AccountEntity,
      ApiKeyEntity,
      AuditEntryEntity,
      BulkChangeEntity,
      DataSourceEntity,
      MappingEntryEntity,
      PropertySchemaEntity,
      SessionTemplateEntity,
      SigningKeyEntity,
      SiteConfigEntity,
      SiteConfigRevisionEntity,
      TemplateSigningKeyEntity,
      UserGroupEntity,
      UserGroupHistoryEntity,
      WebhookDeliveryEntity,
      WebhookEndpointEntity,
    ],
    migrations: [
      Baseline1765100000000,
      IndexAuditSubjects1765200000000,
      CountEmbedSessions1765300000000,
      UserGroupHistory1765400000000,
      CountRequests1765500000000,
      IndexOftenChangedGroups1795862000000,
      EndedConsoleSessions1795863000000,
      AddUpUsage1795864100000,
      DeriveFromGroups1795864200000,
      DropRecordingTriggers1795865000000,
      SessionTemplates1795866000000,
      BulkChanges1796000000000,
      IndexFailedDeliveries1796000100000,
      PropertySchemas1797000000000,
      VersionsOfConfiguration1798000000000,
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
