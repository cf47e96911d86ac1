import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { type CitusCluster, citusPrograms, queryOnce, startCitus } from "../support/citus/cluster.js";
import { distribute } from "../support/citus/distribute.js";
import { DATABASE, OWNER, prepareCluster, startOn } from "../support/citus/distributed-service.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { callRest } from "../support/rest/rest-client.js";

const WIDE = 2 ** 31;
const clusters: CitusCluster[] = [];
let cluster: CitusCluster;

const owner = () => ({ url: cluster.coordinator.url(DATABASE, OWNER) });
const query = (text: string) => queryOnce(cluster.coordinator.url(DATABASE), text);

describe.skipIf(citusPrograms === undefined)("64-bit IDs on Citus", () => {
  beforeEach(async () => {
    if (citusPrograms === undefined) return;
    cluster = await startCitus(citusPrograms);
    clusters.push(cluster);
    await prepareCluster(cluster);
  });
  afterAll(() => Promise.all(clusters.map((each) => each.close())));

  test("IDs beyond 2^31 are exact", async () => {
    await distribute(owner());
    const sequences = ["user_group_team_id", "data_source_id_seq", "api_key_id_seq"];
    await query(`SELECT ${sequences.map((name) => `setval('${name}', ${WIDE})`).join(", ")}`);
    const service = await startOn(cluster);
    try {
      const account = await service.createAccount();
      const { secret } = await account.createKey();
      const create = { user_group_id: "acme", name: "Acme", mapping: { s: "sales" } };
      const { body } = await callRest(`${service.url}/api/user`, "GET", secret, create);
      const teamId = Object(body).user_group.team_id;
      expect(teamId).toBe(WIDE + 1);
      const list = `{ userGroups { nodes { teamId mapping { dataSource { dataSourceId } } } } auditLog(first: 1) { nodes { action } } }`;
      const answer = await callGraphql(service.url, secret, list);
      expect(answer.body).toEqual({
        data: {
          userGroups: { nodes: [{ teamId, mapping: [{ dataSource: { dataSourceId: WIDE + 1 } }] }] },
          auditLog: { nodes: [{ action: "USER_GROUP_CREATED" }] },
        },
      });
    } finally {
      await service.close();
    }
  });
});
