import { inject, type TestContext } from "vitest";

/** Why a test needs plain PostgreSQL. */
const REASONS = {
  accounts: "the application role needs the privilege UPDATE on accounts, for the locks of inserts",
  plans: "the plans, indexes and statistics of tables are those of shards on the workers",
  locks: "the locks that another connection holds are on the workers",
  triggers: "there are no triggers",
} as const;

/** Returns whether the run has a Citus cluster (TEST_CITUS). */
export function isOnCitus(): boolean {
  return inject("postgres").workers.length > 0;
}

/** Skips a test on a Citus cluster; the run prints why. */
export function skipOnCitus({ skip }: TestContext, reason: keyof typeof REASONS): void {
  skip(isOnCitus(), `On Citus, ${REASONS[reason]}.`);
}
