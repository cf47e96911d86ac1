import { beforeEach, describe, expect, test } from "vitest";
import { callRest } from "./support/rest-client.js";
import { useRest, userGroupOf } from "./support/rest-fixture.js";

const rest = useRest({ poolSize: 1, speed: { collect: true, keyCacheMs: 500 } });
const ids = Array.from({ length: 60 }, (_, index) => `group ${index}`);

async function getAll(key?: string) {
  return Promise.all(ids.map((id) => rest().call("GET", { user_group_id: id, name: id }, key)));
}

/** Has all of these come while the only connection is busy. */
async function whileBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  const { service, account } = rest();
  let result: Promise<Result> | undefined;
  await service.database.transaction({ accountId: account.accountId }, async () => {
    result = work();
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  if (!result) throw new Error("Nothing was done.");
  return result;
}

beforeEach(() => {
  rest().service.statements.length = 0;
});

describe("what comes at the same time", () => {
  test("is created with few statements, each for its own request", async () => {
    const { service } = rest();
    const replies = await whileBusy(() => getAll());
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(
      service.statements.filter((text) => text.startsWith("INSERT INTO user_group")).length,
    ).toBeLessThan(20);
    const entries = await service.query(
      "SELECT subject_name, request_id FROM audit_entry WHERE action = 'user_group.created' ORDER BY id",
    );
    const told = new Map(
      entries.map((row: { subject_name: string; request_id: string }) => [row.subject_name, row.request_id]),
    );
    expect(told).toEqual(new Map(replies.map(({ headers }, index) => [ids[index], headers["x-request-id"]])));
  });

  test("is read with few statements, and each gets its own group", async () => {
    const { service } = rest();
    const replies = await whileBusy(() => getAll());
    expect(replies.map(({ body }) => Object(body).user_group.provided_id)).toEqual(ids);
    expect(new Set(replies.map((reply) => userGroupOf(reply).token)).size).toBe(ids.length);
    expect(service.statements.length).toBeLessThan(10);
  });

  test("is another tenant's business in statements of its own", async () => {
    const { keys, strangerKey } = rest();
    const [mine, testing, strange] = await Promise.all([getAll(), getAll(keys.testing), getAll(strangerKey)]);
    const tokens = [mine, testing, strange].flatMap((replies) =>
      replies?.map((reply) => userGroupOf(reply).token),
    );
    expect(new Set(tokens).size).toBe(3 * ids.length);
    expect(testing?.every(({ body }) => Object(body).new_user_group)).toBe(true);
    expect(strange?.every(({ body }) => Object(body).new_user_group)).toBe(true);
  });

  test("is not harmed by one that fails", async () => {
    const { service, call } = rest();
    await service.query("ALTER TABLE user_group ADD CONSTRAINT no_bad CHECK (name <> 'bad')");
    const names = Array.from({ length: 20 }, (_, index) => (index === 7 ? "bad" : `good ${index}`));
    const replies = await whileBusy(() =>
      Promise.all(names.map((name) => call("GET", { user_group_id: name, name }))),
    );
    expect(replies.map(({ status }) => status)).toEqual(names.map((name) => (name === "bad" ? 500 : 200)));
    await service.query("ALTER TABLE user_group DROP CONSTRAINT no_bad");
    expect((await call("GET", { user_group_id: "bad", name: "bad" })).body).toMatchObject({
      new_user_group: true,
    });
  });
});

describe("an API key that is remembered", () => {
  const get = async (key: string) => (await rest().call("GET", { user_group_id: "group 1" }, key)).status;

  test("is looked up once for many requests", async () => {
    const { service, account } = rest();
    const { secret } = await account.createKey();
    await Promise.all(Array.from({ length: 30 }, () => get(secret)));
    await get(secret);
    expect(service.statements.filter((text) => text.includes("api_key.hash"))).toHaveLength(1);
  });

  test("ends within a second when it was revoked elsewhere, and at once when here", async () => {
    const { service, account, keys } = rest();
    const { secret, id } = await account.createKey();
    expect(await get(secret)).toBe(200);
    await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
    await expect.poll(() => get(secret), { timeout: 1000, interval: 50 }).toBe(401);

    const here = await account.createKey();
    expect(await get(here.secret)).toBe(200);
    const revoke = `mutation { revokeApiKey(input: { id: "${Buffer.from(`ApiKey:${here.id}`).toString("base64url")}" }) { userErrors { code } } }`;
    const reply = await callRest(`${service.url}/graphql`, "POST", keys.admin, { query: revoke });
    expect(reply.body).toMatchObject({ data: { revokeApiKey: { userErrors: [] } } });
    expect(await get(here.secret)).toBe(401);
  });

  test("is not remembered when it is unknown", async () => {
    const { service, account } = rest();
    const { secret, id } = await account.createKey();
    await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
    expect(await get(secret)).toBe(401);
    await service.query("UPDATE api_key SET revoked_at = NULL WHERE id = $1", [id]);
    expect(await get(secret)).toBe(200);
  });
});
