import { beforeEach, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = await startGraphql({ poolSize: 1, speed: { batchStatements: true, keyCacheMs: 500 } });
const { account, keys, rest: call, service, strangerKey } = rest;
const ids = Array.from({ length: 60 }, (_, index) => `group ${index}`);

async function getAll(key?: string) {
  return Promise.all(ids.map((id) => call("GET", { user_group_id: id, name: id }, key)));
}

/** Sends requests while the only connection is busy, until all have arrived. */
async function whileBusy<Result>(requests: number, work: () => Promise<Result>): Promise<Result> {
  let result: Promise<Result> | undefined;
  await service.database.transaction({ accountId: account.accountId }, async () => {
    let arrived = 0;
    const count = () => {
      arrived += 1;
    };
    service.server.server.on("request", count);
    result = work();
    await expect.poll(() => arrived).toBe(requests);
    service.server.server.off("request", count);
  });
  if (!result) throw new Error("Nothing was done.");
  return result;
}

beforeEach(() => {
  service.statements.length = 0;
});

describe("concurrent reads", () => {
  test("share few statements, and each gets its own group", async () => {
    await getAll();
    service.statements.length = 0;
    const replies = await whileBusy(ids.length, () => getAll());
    expect(replies.map(({ body }) => Object(body).user_group.provided_id)).toEqual(ids);
    expect(new Set(replies.map((reply) => userGroupOf(reply).token)).size).toBe(ids.length);
    expect(service.statements.length).toBeLessThan(10);
  });

  test("use separate statements for each tenant", async () => {
    const tenants = [undefined, keys.testing, strangerKey];
    await getAll();
    // Their keys are cached: the requests wait for the groups only.
    for (const key of tenants) await call("POST", {}, key);
    const [mine, testing, strange] = await whileBusy(tenants.length * ids.length, () =>
      Promise.all(tenants.map(getAll)),
    );
    const tokens = [mine, testing, strange].flatMap((replies) =>
      replies?.map((reply) => userGroupOf(reply).token),
    );
    expect(new Set(tokens).size).toBe(3 * ids.length);
    expect(testing?.every(({ body }) => Object(body).new_user_group)).toBe(true);
    expect(strange?.every(({ body }) => Object(body).new_user_group)).toBe(true);
  });
});

describe("a cached API key", async () => {
  const get = async (key: string, { call } = rest) =>
    (await call("GET", { user_group_id: "group 1" }, key)).status;
  const patient = await startGraphql({ speed: { keyCacheMs: 3_600_000 } });

  test("is looked up once for many requests", async () => {
    const { service, account } = patient;
    const { secret } = await account.createKey();
    await Promise.all(Array.from({ length: 30 }, () => get(secret, patient)));
    await get(secret, patient);
    expect(service.statements.filter((text) => text.includes("api_key.hash"))).toHaveLength(1);
  });

  test("is not cached when it is unknown", async () => {
    const { secret, id } = await account.createKey();
    await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
    expect(await get(secret)).toBe(401);
    await service.query("UPDATE api_key SET revoked_at = NULL WHERE id = $1", [id]);
    expect(await get(secret)).toBe(200);
  });
});
