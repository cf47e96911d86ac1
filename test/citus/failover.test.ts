import { describe, expect, test } from "vitest";
import { type CitusNode, citusPrograms, queryOnce } from "../support/citus/cluster.js";
import { DATABASE, startOn, useDistributedService } from "../support/citus/distributed-service.js";
import { callRest } from "../support/rest/rest-client.js";
import type { TestService } from "../support/service/test-service.js";

const started = useDistributedService();
const encryptionKey = Buffer.alloc(32, 7);

const create = async (service: TestService, key: string, id: string) => {
  const { status, body } = await callRest(`${service.url}/api/user`, "GET", key, {
    user_group_id: id,
    name: id,
  });
  return { status, group: Object(body).user_group };
};

// The steps of docs/scaling.md.
describe.skipIf(citusPrograms === undefined)("a Citus cluster with standbys", () => {
  test("fails over to those of the coordinator and of a worker, with nothing lost", async () => {
    const { cluster } = started();
    const { coordinator, workers } = cluster;
    const service = await startOn(cluster, { encryptionKey });
    const keys: string[] = [];
    const before = [];
    try {
      for (let account = 0; account < 8; account += 1) {
        const key = (await (await service.createAccount()).createKey()).secret;
        keys.push(key);
        before.push(await create(service, key, "before"));
      }
    } finally {
      await service.close();
    }
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
    const [failing] = workers;
    const standbys = [];
    for (const node of [coordinator, failing]) {
      const standby = await cluster.addStandby(node);
      await replayed(node, standby);
      standbys.push(standby);
      await node.kill();
      await queryOnce(standby.url("postgres"), "SELECT pg_promote()");
    }
    const [first, second] = standbys;
    if (!first || !second) throw new Error("Two nodes have standbys.");
    for (const [failed, standby] of [
      [coordinator, first],
      [failing, second],
    ] as const)
      await queryOnce(
        first.url(DATABASE),
        `SELECT citus_update_node(nodeid, '127.0.0.1', ${standby.port}) FROM pg_dist_node WHERE nodeport = ${failed.port}`,
      );
    const after = await startOn({ coordinator: first }, { encryptionKey });
    try {
      for (const [index, key] of keys.entries()) {
        expect(await create(after, key, "before")).toEqual(before[index]);
        expect((await create(after, key, "after")).status).toBe(200);
      }
      const ids = await after.query("SELECT id FROM user_group");
      expect(ids).toHaveLength(2 * keys.length);
      expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length);
      // Accounts are copied to every node.
      expect((await after.createAccount()).accountId).toBeGreaterThan(keys.length);
    } finally {
      await after.close();
    }
  });
});

/** Waits until a standby has replayed what its primary has written. */
async function replayed(primary: CitusNode, standby: CitusNode): Promise<void> {
  const [{ lsn }] = await queryOnce(primary.url("postgres"), "SELECT pg_current_wal_lsn()::text AS lsn");
  const isReplayed = async () =>
    (await queryOnce(standby.url("postgres"), `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS done`))[0].done;
  await expect.poll(isReplayed).toBe(true);
}
