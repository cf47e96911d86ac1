import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";

const {
  account,
  keys,
  rest: call,
  service,
  strangerKey,
} = await startGraphql({ poolSize: 4, lockTimeoutMs: 300 });

async function create(id: string, key?: string): Promise<string> {
  return userGroupOf(await call("GET", { user_group_id: id, name: id }, key)).token;
}

type Headers = Readonly<Record<string, string | undefined>>;
const send = (method: string, body: object, headers: Headers, key = keys.admin) =>
  callRest(`${service.url}/api/user`, method, key, body, headers);
const rotate = (token: unknown, idempotencyKey: string | undefined, key?: string) =>
  send("POST", { current_token: token }, { "idempotency-key": idempotencyKey }, key);
const remove = (token: string, idempotencyKey: string, more: object = {}) =>
  send("DELETE", { current_token: token, ...more }, { "idempotency-key": idempotencyKey });
const scope = () => ({ accountId: account.accountId, environment: "Customer" }) as const;
const entriesOf = (action: string, name: string) =>
  service.query(`SELECT FROM audit_entry WHERE action = 'user_group.${action}' AND subject_name = '${name}'`);

const MISMATCH = {
  code: "idempotency_mismatch",
  message: "This Idempotency-Key was used for another request. Use a new key for each request.",
};

describe("DELETE with an Idempotency-Key", () => {
  test("deletes once; a retry gets the same reply, and a failure is not stored", async () => {
    const token = await create("gone");
    expect(await remove(token, "delete", { user_group_id: "other" })).toMatchObject({ status: 409 });
    const first = await remove(token, "delete");
    expect(first).toMatchObject({ status: 200, body: { success: 1 } });
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    expect(await remove(token, "delete")).toMatchObject({
      status: 200,
      headers: { "idempotent-replayed": "true" },
      body: { success: 1 },
    });
    expect(await remove(token, "another")).toMatchObject({ status: 404 });
    expectError(await remove(token, "delete", { user_group_id: "gone" }), 422, MISMATCH);
    // A rotation is another request, though its body is the same.
    expectError(await rotate(token, "delete"), 422, MISMATCH);
    expect(await entriesOf("deleted", "gone")).toHaveLength(1);
  });
});

describe("POST with an Idempotency-Key", () => {
  test("rotates once; a retry gets the same reply, marked as replayed", async () => {
    const token = await create("once");
    const first = await rotate(token, "once");
    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty("idempotent-replayed");
    const second = await rotate(token, "once");
    expect(second).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } });
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
    expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    expect(await create("once")).toBe(userGroupOf(first).token);
    // Without the key, a retry fails as always: the token is no longer valid.
    expect(await rotate(token, undefined)).toMatchObject({ status: 404 });
  });

  test("rotates once for twenty concurrent requests, though the pool is smaller", async () => {
    const token = await create("many");
    const replies = await Promise.all(Array.from({ length: 20 }, () => rotate(token, "many")));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(replies.map((reply) => userGroupOf(reply).token)).size).toBe(1);
    expect(replies.filter(({ headers }) => !headers["idempotent-replayed"])).toHaveLength(1);
    expect(await entriesOf("token_rotated", "many")).toHaveLength(1);
  });

  test("gives the reply to a retry when the first caller has disconnected", async () => {
    const token = await create("lost");
    await service.database.transaction(scope(), async (holder) => {
      const text = "SELECT FROM user_group WHERE account_id = $1 AND provided_id = 'lost' FOR UPDATE";
      await holder.run({ access: "read", text }, [account.accountId]);
      const abort = AbortSignal.timeout(100);
      const headers = {
        authorization: `Token ${keys.admin}`,
        "content-type": "application/json",
        "idempotency-key": "lost",
      };
      const body = JSON.stringify({ current_token: token });
      const call = fetch(`${service.url}/api/user`, { method: "POST", headers, body, signal: abort });
      await expect(call).rejects.toThrow();
    });
    const reply = await rotate(token, "lost");
    expect(reply.status).toBe(200);
    expect(await create("lost")).toBe(userGroupOf(reply).token);
  });

  test("is rejected for another request with the same key, without changes", async () => {
    const [one, two] = [await create("one"), await create("two")];
    await rotate(one, "used");
    expectError(await rotate(two, "used"), 422, MISMATCH);
    expect(await create("two")).toBe(two);
    // Keys with other scopes count as other callers, since they may see other fields.
    expectError(await rotate(one, "used", keys.write), 422, MISMATCH);
    expect(await rotate(one, "used", keys.read)).toMatchObject({ status: 403 });
  });

  test("is separate for each environment and account", async () => {
    for (const key of [keys.admin, keys.testing, strangerKey]) {
      const token = await create("batchKey", key);
      const reply = await rotate(token, "batchKey", key);
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty("idempotent-replayed");
      expect(await create("batchKey", key)).toBe(userGroupOf(reply).token);
    }
  });

  test("waits for another process, and times out while that is busy", async () => {
    const token = await create("busy");
    const text =
      "INSERT INTO idempotent_request (account_id, environment, key, fingerprint) VALUES ($1, 'Customer', 'busy', '')";
    const claim = (transaction: { run: typeof service.database.run }) =>
      transaction.run({ access: "write", text }, [account.accountId]);
    await service.database.transaction(scope(), async (other) => {
      await claim(other);
      const reply = await rotate(token, "busy");
      expectError(reply, 409, { code: "idempotency_key_in_use", message: expect.any(String) });
      expect(reply.headers["retry-after"]).toBe("1");
    });
    expectError(await rotate(token, "busy"), 422, MISMATCH);
    await service.query("DELETE FROM idempotent_request WHERE key = 'busy'");
    let waiting: Promise<RestReply> | undefined;
    const broken = service.database.transaction(scope(), async (other) => {
      await claim(other);
      waiting = rotate(token, "busy");
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new Error("It fails after all.");
    });
    await expect(broken).rejects.toThrow("It fails after all.");
    expect(await waiting).toMatchObject({ status: 200 });
  });

  test("expires after a day, on the next request or by the periodic purge", async () => {
    const token = await create("old");
    const first = userGroupOf(await rotate(token, "old")).token;
    const age = (interval: string) =>
      service.query(
        `UPDATE idempotent_request SET created_at = now() - interval '${interval}' WHERE key = 'old'`,
      );
    await age("23 hours");
    expect(userGroupOf(await rotate(token, "old")).token).toBe(first);
    await age("24 hours 1 minute");
    expect(await rotate(token, "old")).toMatchObject({ status: 404 });
    // A failure leaves the stored reply; the next success replaces it.
    const next = userGroupOf(await rotate(first, "old")).token;
    expect(userGroupOf(await rotate(first, "old")).token).toBe(next);
    await rotate(await create("young"), "young");
    await age("25 hours");
    expect((await service.services.purgeJob.run())?.get("idempotent_replies")).toBe(1);
    expect(await service.query("SELECT key FROM idempotent_request WHERE key IN ('old', 'young')")).toEqual([
      { key: "young" },
    ]);
  });
});
