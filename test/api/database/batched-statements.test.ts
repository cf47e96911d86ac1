import { beforeEach, describe, expect, test } from "vitest";
import { callRest } from "../../support/rest/rest-client.js";
import { useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest({ poolSize: 1, speed: { batchStatements: true, keyCacheMs: 500 } });
const ids = Array.from({ length: 60 }, (_, index) => `group ${index}`);

async function getAll(key?: string) {
  return Promise.all(ids.map((id) => rest().call("GET", { user_group_id: id, name: id }, key)));
}

/** Sends requests while the only connection is busy, until all have arrived. */
async function whileBusy<Result>(requests: number, work: () => Promise<Result>): Promise<Result> {
  const { service, account } = rest();
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
  rest().service.statements.length = 0;
});

describe("concurrent requests", () => {
  test("create groups with few statements, each its own", async () => {
    const { service } = rest();
    const replies = await whileBusy(ids.length, () => getAll());
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(
      service.statements.filter((text) => text.startsWith("INSERT INTO user_group")).length,
    ).toBeLessThan(20);
    const entries = await service.query(
      "SELECT subject_name, request_id FROM audit_entry WHERE action = 'user_group.created' ORDER BY id",
    );
    const requestIds = new Map(
      entries.map((row: { subject_name: string; request_id: string }) => [row.subject_name, row.request_id]),
    );
    expect(requestIds).toEqual(
      new Map(replies.map(({ headers }, index) => [ids[index], headers["x-request-id"]])),
    );
  });

  test("read groups with few statements, each its own", async () => {
    const { service } = rest();
    const replies = await whileBusy(ids.length, () => getAll());
    expect(replies.map(({ body }) => Object(body).user_group.provided_id)).toEqual(ids);
    expect(new Set(replies.map((reply) => userGroupOf(reply).token)).size).toBe(ids.length);
    expect(service.statements.length).toBeLessThan(10);
  });

  test("use separate statements for each tenant", async () => {
    const { keys, strangerKey } = rest();
    const [mine, testing, strange] = await Promise.all([getAll(), getAll(keys.testing), getAll(strangerKey)]);
    const tokens = [mine, testing, strange].flatMap((replies) =>
      replies?.map((reply) => userGroupOf(reply).token),
    );
    expect(new Set(tokens).size).toBe(3 * ids.length);
    expect(testing?.every(({ body }) => Object(body).new_user_group)).toBe(true);
    expect(strange?.every(({ body }) => Object(body).new_user_group)).toBe(true);
  });

  test("succeed when one of them fails", async () => {
    const { service, call } = rest();
    await service.query("ALTER TABLE user_group ADD CONSTRAINT no_bad CHECK (name <> 'bad')");
    const names = Array.from({ length: 20 }, (_, index) => (index === 7 ? "bad" : `good ${index}`));
    const replies = await whileBusy(names.length, () =>
      Promise.all(names.map((name) => call("GET", { user_group_id: name, name }))),
    );
    expect(replies.map(({ status }) => status)).toEqual(names.map((name) => (name === "bad" ? 500 : 200)));
    await service.query("ALTER TABLE user_group DROP CONSTRAINT no_bad");
    expect((await call("GET", { user_group_id: "bad", name: "bad" })).body).toMatchObject({
      new_user_group: true,
    });
  });
});

describe("concurrent changes", () => {
  const updates = () => rest().service.statements.filter((text) => /UPDATE user_group/.test(text)).length;

  /** The request of each audit entry, by the group's external ID. */
  async function requestsOf(action: string): Promise<ReadonlyMap<string, string>> {
    const entries = await rest().service.query(
      `SELECT subject_name, request_id FROM audit_entry WHERE action = '${action}'
        AND id > (SELECT coalesce(max(id), 0) - 60 FROM audit_entry) ORDER BY id`,
    );
    return new Map(
      entries.map((row: { subject_name: string; request_id: string }) => [row.subject_name, row.request_id]),
    );
  }

  async function rotateAll() {
    const tokens = (await getAll()).map((reply) => userGroupOf(reply).token);
    rest().service.statements.length = 0;
    return { tokens, rotate: () => tokens.map((token) => rest().call("POST", { current_token: token })) };
  }

  test("update groups with few statements, each its own", async () => {
    await getAll();
    rest().service.statements.length = 0;
    const replies = await whileBusy(ids.length, () =>
      Promise.all(
        ids.map((id, index) => rest().call("PUT", { user_group_id: id, name: `renamed ${index}` })),
      ),
    );
    expect(replies.map(({ body }) => Object(body).user_group.name)).toEqual(
      ids.map((_, index) => `renamed ${index}`),
    );
    expect(updates()).toBeLessThan(20);
    expect(await requestsOf("user_group.updated")).toEqual(
      new Map(replies.map(({ headers }, index) => [ids[index], headers["x-request-id"]])),
    );
  });

  test("rotate tokens with few statements, each its own", async () => {
    const { tokens, rotate } = await rotateAll();
    const replies = await whileBusy(ids.length, () => Promise.all(rotate()));
    expect(updates()).toBeLessThan(20);
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect((await getAll()).map((reply) => userGroupOf(reply).token)).toEqual(
      replies.map((reply) => userGroupOf(reply).token),
    );
    expect(replies.some((reply, index) => userGroupOf(reply).token === tokens[index])).toBe(false);
    expect(await requestsOf("user_group.token_rotated")).toEqual(
      new Map(replies.map(({ headers }, index) => [ids[index], headers["x-request-id"]])),
    );
  });

  test("are each applied, though they change one group", async () => {
    const { service, call } = rest();
    const { token } = userGroupOf(await call("GET", { user_group_id: "shared", name: "shared" }));
    const rotations = await whileBusy(10, () =>
      Promise.all(Array.from({ length: 10 }, () => call("POST", { current_token: token }))),
    );
    expect(rotations.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)]);
    const names = Array.from({ length: 10 }, (_, index) => `name ${index}`);
    const renamed = await whileBusy(names.length, () =>
      Promise.all(names.map((name) => call("PUT", { user_group_id: "shared", name }))),
    );
    expect(renamed.map(({ body }) => Object(body).user_group.name)).toEqual(names);
    expect(
      await service.query("SELECT version FROM user_group WHERE provided_id = 'shared' AND version = 12"),
    ).toHaveLength(1);
  });

  test("report a missing group to the right request", async () => {
    const { call } = rest();
    await getAll();
    const requestedIds = [...ids.slice(0, 10), "nobody", ...ids.slice(10, 20)];
    const replies = await whileBusy(requestedIds.length, () =>
      Promise.all(requestedIds.map((id) => call("PUT", { user_group_id: id, properties: { id } }))),
    );
    expect(replies.map(({ status }) => status)).toEqual(
      requestedIds.map((id) => (id === "nobody" ? 404 : 200)),
    );
  });
});

describe("a group locked by another transaction", () => {
  // A request that waits for it here would time out.
  const slow = useRest({
    // One for lookups, three that are blocked, and one for the other changes.
    poolSize: 5,
    lockTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    speed: { batchStatements: true, keyCacheMs: 0 },
  });

  test("does not block changes of other groups", async () => {
    const { service, account, call } = slow();
    const names = ids.slice(0, 20);
    const groups = await Promise.all(names.map((id) => call("GET", { user_group_id: id, name: id })));
    const held = names.length / 2;
    let waiting: Promise<{ readonly status: number }[]> | undefined;
    await service.database.transaction(
      { accountId: account.accountId, environment: "Customer" },
      async (transaction) => {
        await transaction.run(
          {
            access: "write",
            text: "SELECT id FROM user_group WHERE account_id = $1 AND provided_id = $2 FOR UPDATE",
          },
          [account.accountId, names[held]],
        );
        const renamed = names.map((id) => call("PUT", { user_group_id: id, name: "new" }));
        const rotated = groups.map((reply) => call("POST", { current_token: userGroupOf(reply).token }));
        waiting = Promise.all([renamed, rotated].flatMap((replies) => replies.splice(held, 1)));
        const done = await Promise.all([...renamed, ...rotated]);
        expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200]));
      },
    );
    expect((await waiting)?.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a cached API key", () => {
  const get = async (key: string, { call } = rest()) =>
    (await call("GET", { user_group_id: "group 1" }, key)).status;
  const patient = useRest({ speed: { keyCacheMs: 3_600_000 } });

  test("is looked up once for many requests", async () => {
    const { service, account } = patient();
    const { secret } = await account.createKey();
    await Promise.all(Array.from({ length: 30 }, () => get(secret, patient())));
    await get(secret, patient());
    expect(service.statements.filter((text) => text.includes("api_key.hash"))).toHaveLength(1);
  });

  test("expires soon when revoked elsewhere, and immediately when revoked here", async () => {
    const { service, account, keys } = rest();
    const { secret, id } = await account.createKey();
    expect(await get(secret)).toBe(200);
    await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
    await expect.poll(() => get(secret)).toBe(401);

    const revoked = await account.createKey();
    expect(await get(revoked.secret)).toBe(200);
    const revoke = `mutation { revokeApiKey(input: { id: "${Buffer.from(`ApiKey:${revoked.id}`).toString("base64url")}" }) { userErrors { code } } }`;
    const reply = await callRest(`${service.url}/graphql`, "POST", keys.admin, { query: revoke });
    expect(reply.body).toMatchObject({ data: { revokeApiKey: { userErrors: [] } } });
    expect(await get(revoked.secret)).toBe(401);
  });

  test("is not cached when it is unknown", async () => {
    const { service, account } = rest();
    const { secret, id } = await account.createKey();
    await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
    expect(await get(secret)).toBe(401);
    await service.query("UPDATE api_key SET revoked_at = NULL WHERE id = $1", [id]);
    expect(await get(secret)).toBe(200);
  });
});
