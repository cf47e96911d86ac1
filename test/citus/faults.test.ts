import { beforeAll, describe, expect, test } from "vitest";
import { citusPrograms, queryOnce } from "../support/citus/cluster.js";
import { DATABASE, useDistributedService } from "../support/citus/distributed-service.js";
import { verifyLoad } from "../support/faults/load-verification.js";
import { startLoad } from "../support/faults/steady-load.js";
import { callRest } from "../support/rest/rest-client.js";

const started = useDistributedService();
/** API keys of an account on each worker. */
const keys: string[] = [];

const status = async (key: string | undefined, method = "GET") => {
  const body = { user_group_id: "acme", name: `Acme ${method}` };
  return (await callRest(`${started().service.url}/api/user`, method, key, body)).status;
};

describe.skipIf(citusPrograms === undefined)("the service on a Citus cluster", () => {
  beforeAll(async () => {
    if (citusPrograms === undefined) return;
    const { cluster, service } = started();
    for (const { port } of cluster.workers) {
      for (;;) {
        const account = await service.createAccount();
        const [{ nodeport }] = await service.query(
          `SELECT nodeport FROM pg_dist_shard_placement
            WHERE shardid = get_shard_id_for_distribution_column('user_group', $1::integer)`,
          [account.accountId],
        );
        if (nodeport !== port) continue;
        keys.push((await account.createKey()).secret);
        break;
      }
    }
    for (const key of keys) expect(await status(key)).toBe(200);
  });

  // Citus sends the results of a data-modifying common table expression to all workers, so changes need all of them.
  test("while a worker is down, other accounts can be read, and everything recovers without a restart", async () => {
    const [lost, other] = keys;
    const [worker] = started().cluster.workers;
    await worker.kill();
    try {
      await expect.poll(() => status(lost)).toBe(503);
      await expect.poll(() => status(other)).toBe(200);
      for (let repeat = 0; repeat < 3; repeat += 1) {
        expect(await status(other)).toBe(200);
        expect(await status(lost)).toBe(503);
        expect(await status(other, "PUT")).toBe(503);
      }
    } finally {
      await worker.start();
    }
    await expect.poll(() => status(lost)).toBe(200);
    for (const key of keys) await expect.poll(() => status(key, "PUT")).toBe(200);
  });

  test("a killed coordinator affects all accounts, until it is back", async () => {
    const { coordinator } = started().cluster;
    await coordinator.kill();
    try {
      for (const key of keys) await expect.poll(() => status(key)).toBe(503);
    } finally {
      await coordinator.start();
    }
    for (const key of keys) await expect.poll(() => status(key, "PUT")).toBe(200);
  });

  test("shards move under load, with no wrong answer and nothing lost", async () => {
    const { cluster, service } = started();
    const database = cluster.coordinator.url(DATABASE);
    const [{ port }] = cluster.workers;
    const placements = () =>
      service.query(`SELECT count(*)::integer AS left FROM pg_dist_shard_placement
        WHERE nodeport = ${port} AND shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'user_group'::regclass)`);
    expect(await placements()).not.toEqual([{ left: 0 }]);
    const load = startLoad(service.url, keys, "moved");
    await expect.poll(() => load.journal.calls.length).toBeGreaterThan(50);
    await queryOnce(
      database,
      `SELECT citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', false)`,
    );
    await queryOnce(
      database,
      "SELECT citus_rebalance_start(drain_only => true, shard_transfer_mode => 'block_writes')",
    );
    await queryOnce(database, "SELECT citus_rebalance_wait()");
    expect(await placements()).toEqual([{ left: 0 }]);
    const sent = load.journal.calls.length;
    await expect.poll(() => load.journal.calls.length).toBeGreaterThan(sent + 50);
    await load.stop();
    await verifyLoad(load, (text, values) => service.query(text, values));
    expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
    expect(load.journal.violations).toEqual([]);
  }, 300_000);
});
