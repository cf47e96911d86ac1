import { strictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Contestant } from "../compare/contestants.js";
import { UPSERT } from "../compare/graphql-queries.js";
import { dataOf, graphqlRequest } from "../compare/graphql-workloads.js";
import type { HttpRequest } from "../compare/http-request.js";
import type { Account, World } from "../compare/world.js";

/** As many as one call takes. */
export const BULK = 1000;
/** How many thousands are written in a row. */
export const THOUSANDS = [1, 10];

/** Writes new groups of the largest account, in calls of a thousand. @returns milliseconds for each thousand */
export async function timeUpserts(
  contestant: Contestant,
  { accounts: [account] }: World,
  thousands: number,
): Promise<number> {
  const requests = Array.from({ length: thousands }, () => upsertRequest(account, newIds(BULK)));
  const start = performance.now();
  for (const request of requests) {
    const { upsertUserGroups } = await dataOf(contestant, request);
    strictEqual(upsertUserGroups.results.length, BULK);
    strictEqual(upsertUserGroups.userErrors.length, 0);
  }
  return (performance.now() - start) / thousands;
}

/** Provided ids that were never there. */
export function newIds(count: number): readonly string[] {
  return Array.from({ length: count }, () => `customer-${randomUUID()}`);
}

/** One call for groups with these provided ids, each with a mapping of two schemas. */
export function upsertRequest({ key, dataSources }: Account, providedIds: readonly string[]): HttpRequest {
  const userGroups = providedIds.map((providedId, index) => ({
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
