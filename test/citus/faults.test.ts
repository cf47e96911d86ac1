import { beforeAll, describe, expect, test } from "vitest";
import { citusPrograms, queryOnce } from "../support/citus/cluster.js";
import { DATABASE, useDistributedService } from "../support/citus/distributed-service.js";
import { endSoundLoad } from "../support/citus/sound-load.js";
import type { Call } from "../support/faults/load-journal.js";
import { verifyLoad } from "../support/faults/load-verification.js";
import { startLoad } from "../support/faults/steady-load.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";
import { validSite } from "../support/site-configs/documents.js";
import { startReceiver } from "../support/webhooks/receiver.js";

const started = useDistributedService();
/** API keys of an account on each worker. */
const keys: string[] = [];

const status = async (key: string | undefined, method = "GET") => {
  const body = { user_group_id: "acme", name: `Acme ${method}` };
  return (await callRest(`${started().service.url}/api/user`, method, key, body)).status;
};

/** Changes of what the load does not change. */
const MUTATIONS = [
  `createWebhookEndpoint(input: { name: "w", url: "http://127.0.0.1:9/" })`,
  `putSiteConfig(input: { source: { text: ${JSON.stringify(JSON.stringify(validSite))} } })`,
  "setSiteConfigVisibility(input: { isPublic: true })",
  `createApiKey(input: { name: "k", scope: READ })`,
  `createDataSource(input: { providedId: "spare", name: "Spare" })`,
  `updateDataSource(input: { by: { providedId: "spare" }, name: "Renamed" })`,
  `deleteDataSource(input: { by: { providedId: "spare" } })`,
];

describe.skipIf(citusPrograms === undefined)("the service on a Citus cluster", () => {
  beforeAll(async () => {
    if (citusPrograms === undefined) return;
    const { cluster, service } = started();
    for (const { port } of cluster.workers) {
      for (;;) {
        const account = await service.createAccount();
        const [{ nodeport }] = await service.query(
          `SELECT nodeport FROM pg_dist_shard_placement
            WHERE shardid = get_shard_id_for_distribution_column('user_group', $1::bigint)`,
          [account.accountId],
        );
        if (nodeport !== port) continue;
        keys.push((await account.createKey()).secret);
        break;
      }
    }
    for (const key of keys) expect(await status(key)).toBe(200);
  });

  test("while a worker is down, other accounts go on, and everything recovers without a restart", async () => {
    const [lost = "", other = ""] = keys;
    const { cluster, service } = started();
    const [worker] = cluster.workers;
    const receiver = await startReceiver();
    const mutate = async (mutation: string) => {
      const text = `mutation { ${mutation} { userErrors { code } } }`;
      const { body } = await callGraphql(service.url, other, text);
      expect(Object.values(Object(body).data ?? {}), mutation).toEqual([{ userErrors: [] }]);
    };
    await mutate(
      `createWebhookEndpoint(input: { name: "r", url: "${receiver.url}", events: [SITE_CONFIG_PUBLISHED] })`,
    );
    service.services.webhookDispatcher.start(service.server.log);
    await worker.kill();
    const load = startLoad(service.url, [other], "elsewhere");
    try {
      await expect.poll(() => status(lost)).toBe(503);
      for (let repeat = 0; repeat < 3; repeat += 1) {
        for (const method of ["GET", "PUT"]) expect(await status(lost, method)).toBe(503);
        const sent = load.journal.calls.length;
        await expect.poll(() => load.journal.calls.length).toBeGreaterThan(sent + 50);
      }
      for (const mutation of MUTATIONS) await mutate(mutation);
      await expect.poll(() => receiver.received.length).toBe(1);
    } finally {
      await load.stop();
      await worker.start();
    }
    // An unknown token may be one that the lost accounts have imported.
    const isRefused = ({ refused, what }: Call) => refused && what !== "front end, 401 wanted";
    expect(load.journal.calls.filter(isRefused)).toEqual([]);
    await expect.poll(() => status(lost)).toBe(200);
    for (const key of keys) await expect.poll(() => status(key, "PUT")).toBe(200);
    await verifyLoad(load, (text, values) => service.query(text, values));
    expect(load.journal.violations).toEqual([]);
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
    await endSoundLoad(load, service);
  }, 300_000);
});
