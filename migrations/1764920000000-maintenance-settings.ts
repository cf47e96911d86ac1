import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

/** Storage parameters that depart from the server's; docs/scaling.md gives the reasons. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  user_group: { autovacuum_vacuum_scale_factor: 0.05, autovacuum_analyze_scale_factor: 0.02 },
  mapping_entry: { autovacuum_vacuum_scale_factor: 0.05, autovacuum_analyze_scale_factor: 0.02 },
  webhook_delivery: { autovacuum_vacuum_scale_factor: 0.02, autovacuum_analyze_scale_factor: 0.02 },
  idempotent_request: { autovacuum_vacuum_scale_factor: 0.02, autovacuum_analyze_scale_factor: 0.05 },
  api_key: { fillfactor: 70 },
  webhook_endpoint: { fillfactor: 70 },
};

export class MaintenanceSettings1764920000000 implements LockingMigration {
  readonly name = "MaintenanceSettings1764920000000";
  readonly locks = {
    user_group: "SHARE UPDATE EXCLUSIVE",
    mapping_entry: "SHARE UPDATE EXCLUSIVE",
    webhook_delivery: "SHARE UPDATE EXCLUSIVE",
    idempotent_request: "SHARE UPDATE EXCLUSIVE",
    api_key: "SHARE UPDATE EXCLUSIVE",
    webhook_endpoint: "SHARE UPDATE EXCLUSIVE",
  } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, settings] of Object.entries(SETTINGS)) {
      const list = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
      await queryRunner.query(`ALTER TABLE ${table} SET (${list.join(", ")})`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, settings] of Object.entries(SETTINGS))
      await queryRunner.query(`ALTER TABLE ${table} RESET (${Object.keys(settings).join(", ")})`);
  }
}
