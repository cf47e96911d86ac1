import { deepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { UPSERT } from "./graphql-queries.js";
import { dataOf, graphqlRequest } from "./graphql-workloads.js";
import type { HttpRequest } from "./http-request.js";
import type { Workload } from "./workload.js";
import type { Account } from "./world.js";

/** The maximum per call. */
export const BULK = 1000;
/** More bulk calls than any contestant handles in a second. */
export const BULKS = 100;

export const UPSERT_WORKLOADS: readonly Workload[] = [
  { ...upserting("graphql-upsert-1", 1), connections: [1, 32] },
  // A single call takes a good part of a second.
  { ...upserting("graphql-upsert-1000", BULK), connections: [1], minSeconds: 4 },
];

/** One call for groups with these external IDs, each with a mapping of two schemas. */
export function upsertRequest({ key, dataSources }: Account, ids: readonly string[]): HttpRequest {
  const userGroups = ids.map((providedId, index) => ({
    providedId,
    name: `Customer ${providedId.slice(-8)} Inc.`,
    properties: { region: "EU", plan: "team", seats: index, contact: `${providedId.slice(-8)}@example.com` },
    mapping: ["sales", "support"].map((schemaId, salt) => ({
      schemaId,
      dataSource: dataSources[(index + salt) % dataSources.length]?.providedId,
    })),
  }));
  return graphqlRequest(`Token ${key.secret}`, { query: UPSERT, variables: { input: { userGroups } } });
}

/** New external IDs. */
export function newIds(count: number): readonly string[] {
  return Array.from({ length: count }, () => `customer-${randomUUID()}`);
}

function upserting(name: string, groups: number): Workload {
  return {
    name,
    writes: true,
    async check(contestant, { world }) {
      const ids = newIds(groups);
      const { upsertUserGroups } = await dataOf(contestant, upsertRequest(world.accounts[0], ids));
      deepStrictEqual(upsertUserGroups, {
        results: ids.map((providedId, index) => ({
          isNew: true,
          userGroup: { teamId: upsertUserGroups.results[index].userGroup.teamId, providedId },
          userErrors: [],
        })),
        userErrors: [],
      });
    },
    requests: async (_, { world }, maxCount) =>
      Array.from({ length: groups === 1 ? maxCount : Math.min(maxCount, BULKS) }, () =>
        upsertRequest(world.accounts[0], newIds(groups)),
      ),
  };
}
