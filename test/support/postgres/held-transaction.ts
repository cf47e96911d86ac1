import { Client } from "pg";
import { expect, onTestFinished } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { patienceMs } from "../service/patience.js";
import type { TestService } from "../service/test-service.js";

/** An open transaction of another connection. */
export interface HeldTransaction {
  /** Resolves once this many other connections wait for its locks. */
  untilAwaited(connections?: number): Promise<void>;
  commit(): Promise<void>;
}

/**
 * Runs a statement as a superuser in a transaction, which holds its locks until it commits or the test ends. Statements of the service
 * that meet these locks wait for them.
 */
export async function holdTransaction(
  { owner, query }: Pick<TestService, "owner" | "query">,
  statement: string,
  values: readonly unknown[] = [],
): Promise<HeldTransaction> {
  const client = new Client(clientOptions(owner));
  await client.connect();
  let isOpen = true;
  const end = async (command: "COMMIT" | "ROLLBACK") => {
    if (!isOpen) return;
    isOpen = false;
    await client.query(command);
    await client.end();
  };
  onTestFinished(() => end("ROLLBACK"));
  await client.query("BEGIN");
  await client.query(statement, [...values]);
  const [{ pid }] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
  const waiting =
    "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
  return {
    async untilAwaited(connections = 1) {
      const count = async () => (await query(waiting, [pid]))[0].n;
      await expect.poll(count, { timeout: patienceMs() }).toBeGreaterThanOrEqual(connections);
    },
    commit: () => end("COMMIT"),
  };
}
