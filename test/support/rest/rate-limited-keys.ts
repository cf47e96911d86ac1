import { expect } from "vitest";
import type { GraphqlFixture } from "../graphql/graphql-fixture.js";
import { callRest, type RestReply } from "./rest-client.js";

/** Keys with an unused allowance, and a REST call that consumes it. */
export function useKeys(graphql: () => GraphqlFixture) {
  const rest = (key: string, body: unknown = { user_group_id: "x", name: "X" }): Promise<RestReply> =>
    callRest(`${graphql().service.url}/api/user`, "GET", key, body);
  return {
    rest,
    newKey: async () => (await graphql().account.createKey()).secret,
    async spend(key: string, points: number): Promise<void> {
      for (let spent = 0; spent < points; spent += 1) expect((await rest(key)).status).toBe(200);
    },
  };
}
