import { beforeAll, describe, expect, test } from "vitest";
import { citusPrograms, queryOnce } from "../support/citus/cluster.js";
import { APPLICATION, DATABASE, OWNER, useDistributedService } from "../support/citus/distributed-service.js";
import { endSoundLoad } from "../support/citus/sound-load.js";
import { startLoad } from "../support/faults/steady-load.js";

const started = useDistributedService();
const keys: string[] = [];

/** Runs a statement on the coordinator as a superuser. */
const coordinate = (statement: string) => queryOnce(started().cluster.coordinator.url(DATABASE), statement);

describe.skipIf(citusPrograms === undefined)("a growing Citus cluster", () => {
  beforeAll(async () => {
    if (citusPrograms === undefined) return;
    // Some on each of the shards, most likely.
    for (let account = 0; account < 8; account += 1)
      keys.push((await (await started().service.createAccount()).createKey()).secret);
  });

  // The steps of docs/scaling.md.
  test("moves shards to a new worker under load, with no wrong answer and nothing lost", async () => {
    const { cluster, service } = started();
    const load = startLoad(service.url, keys, "grown");
    await expect.poll(() => load.journal.calls.length).toBeGreaterThan(50);
    const added = await cluster.addNode();
    for (const role of [OWNER, APPLICATION])
      await queryOnce(added.url("postgres"), `CREATE ROLE ${role} LOGIN`);
    await queryOnce(added.url("postgres"), `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
    await queryOnce(added.url(DATABASE), "CREATE EXTENSION citus");
    await coordinate(`SELECT citus_add_node('127.0.0.1', ${added.port})`);
    const shards = async () => {
      const [{ count }] = await coordinate(
        `SELECT count(*)::integer FROM citus_shards WHERE table_name = 'user_group'::regclass AND nodeport = ${added.port}`,
      );
      return count;
    };
    expect(await shards()).toBe(0);
    // Logical replication into tables with forced row-level security fails, and is repeated forever.
    await forceRowSecurity("NO FORCE");
    await coordinate("SELECT citus_rebalance_start()");
    await coordinate("SELECT citus_rebalance_wait()");
    await forceRowSecurity("FORCE");
    expect(await shards()).toBeGreaterThan(0);
    await endSoundLoad(load, service);
  }, 300_000);
});

/** Changes one table at a time, so that requests wait for one lock only. */
async function forceRowSecurity(change: "FORCE" | "NO FORCE"): Promise<void> {
  const tables = await coordinate(
    "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h'",
  );
  expect(tables).toHaveLength(11);
  for (const { name } of tables) await coordinate(`ALTER TABLE ${name} ${change} ROW LEVEL SECURITY`);
}
