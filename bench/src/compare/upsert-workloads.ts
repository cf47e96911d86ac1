import { deepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { UPSERT } from "./graphql-queries.js";
import { dataOf, graphqlRequest } from "./graphql-workloads.js";
import type { HttpRequest } from "./http-request.js";
import type { Workload } from "./workload.js";
import type { Account } from "./world.js";

export const BULK = 1000;
/** More bulks than anybody writes in a second. */
const BULKS = 100;

export const UPSERT_WORKLOADS: readonly Workload[] = [
  upserting("graphql-upsert-1", "GraphQL: upsert of one new group with a mapping", 1, [1, 32]),
  upserting("graphql-upsert-1000", "GraphQL: upsert of 1,000 new groups with mappings", BULK, [1]),
];

function upserting(name: string, title: string, groups: number, connections: readonly number[]): Workload {
  return {
    name,
    title,
    peers: [],
    writes: true,
    connections,
    // One takes a good part of a second.
    leastSeconds: groups === 1 ? 1 : 4,
    half: false,
    async check(contestant, { world }) {
      const request = upsert(world.accounts[0], groups);
      const { upsertUserGroups } = await dataOf(contestant, request);
      const { variables } = Object(request.body);
      deepStrictEqual(upsertUserGroups, {
        results: variables.input.userGroups.map(({ providedId }: { providedId: string }, index: number) => ({
          newUserGroup: true,
          userGroup: { teamId: upsertUserGroups.results[index].userGroup.teamId, providedId },
          userErrors: [],
        })),
        userErrors: [],
      });
    },
    requests: async (_, { world }, most) =>
      Array.from({ length: groups === 1 ? most : Math.min(most, BULKS) }, () =>
        upsert(world.accounts[0], groups),
      ),
  };
}

function upsert({ key, dataSources }: Account, count: number): HttpRequest {
  const run = randomUUID();
  const userGroups = Array.from({ length: count }, (_, index) => ({
    providedId: `${run}-${index}`,
    name: `New ${index} Inc.`,
    properties: { region: "EU" },
    mapping: ["sales", "support"].map((schemaId, salt) => ({
      schemaId,
      dataSource: dataSources[(index + salt) % dataSources.length]?.providedId,
    })),
  }));
  return graphqlRequest(`Token ${key.secret}`, { query: UPSERT, variables: { input: { userGroups } } });
}
