import type { QueryRunner } from "typeorm";

/** Attempts before the migrator reports that the tables are in use, and tries again later. */
const ATTEMPTS = 20;

/**
 * Locks all tables exclusively, or none of them: a request that holds one and waits for another would be in a deadlock. The waits for the
 * tables last less than PostgreSQL's deadlock_timeout together, so that the migration gives way and not the request.
 */
export async function lockTables(queryRunner: QueryRunner, tables: readonly string[]): Promise<void> {
  await queryRunner.query(`
    DO $$
    DECLARE
      former text := current_setting('lock_timeout');
    BEGIN
      FOR attempt IN 1..${ATTEMPTS} LOOP
        BEGIN
          SET LOCAL lock_timeout = '50ms';
          LOCK TABLE ${tables.join(", ")} IN ACCESS EXCLUSIVE MODE;
          PERFORM set_config('lock_timeout', former, true);
          RETURN;
        EXCEPTION WHEN lock_not_available THEN
          -- The failed attempt has released its locks: requests run before the next one.
          PERFORM pg_sleep(0.1);
        END;
      END LOOP;
      RAISE lock_not_available;
    END $$`);
}
