import { expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { CREATE, createUserGroup, READ } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = await startGraphql({ poolSize: 3 });
const { account, keys, rest, run, service } = graphql;

async function send(idempotencyKey: string, query: string, variables = {}, key = keys.admin) {
  const headers = { "idempotency-key": idempotencyKey };
  const url = `${service.url}/graphql`;
  const reply = await callRest(url, "POST", key, { query, variables }, headers);
  const { data, errors }: Data = Object(reply.body);
  return { status: reply.status, replayed: reply.headers["idempotent-replayed"] === "true", data, errors };
}

async function find(providedId: string): Promise<Data> {
  return (await run(READ, { by: { providedId } })).userGroup;
}

test("a mutation is applied once, and its repetition gets the same data", async () => {
  const variables = { input: { providedId: "acme", name: "Acme", properties: { plan: "gold" } } };
  const first = await send("create", CREATE, variables);
  expect(first).toMatchObject({ status: 200, replayed: false });
  expect(first.data.createUserGroup.userErrors).toEqual([]);
  const second = await send("create", CREATE, variables);
  expect(second).toEqual({ ...first, replayed: true });
  expect(JSON.stringify(second.data)).toBe(JSON.stringify(first.data));
});

test("a named mutation is applied once, whether or not it has run before", async () => {
  const document = CREATE.replace("mutation", "mutation Named");
  await send("named-first", document, { input: { providedId: "named-first", name: "x" } });
  const fresh = `${document} # not sent before`;
  const variables = { input: { providedId: "named", name: "x" } };
  const first = await send("named", fresh, variables);
  for (let time = 0; time < 3; time += 1)
    expect(await send("named", fresh, variables)).toEqual({ ...first, replayed: true });
  expect(first.data.createUserGroup.userErrors).toEqual([]);
});

test("a key that another process is using is in use", async () => {
  const scope = { accountId: account.accountId, environment: "Customer" } as const;
  await service.database.transaction(scope, async (other) => {
    const text =
      "INSERT INTO idempotent_request (account_id, environment, key, fingerprint) VALUES ($1, 'Customer', 'busy', '')";
    await other.run({ access: "write", text }, [account.accountId]);
    expect(await send("busy", CREATE, { input: { providedId: "busy", name: "Busy" } })).toMatchObject({
      status: 409,
      errors: [{ extensions: { code: "IDEMPOTENCY_KEY_IN_USE", retryAfter: 1 } }],
    });
  });
});

test("the same key with another document, variables or operation is rejected", async () => {
  const input = { providedId: "other", name: "Other" };
  await send("mixed", CREATE, { input });
  const refused = { status: 422, errors: [{ extensions: { code: "IDEMPOTENCY_MISMATCH" } }] };
  expect(await send("mixed", CREATE, { input: { ...input, name: "Else" } })).toMatchObject(refused);
  expect(await send("mixed", `${CREATE} `, { input })).toMatchObject(refused);
  const body = { current_token: (await find("other")).token };
  const post = await rest("POST", body, undefined, { "idempotency-key": "mixed" });
  expect(post).toMatchObject({ status: 422, body: { error: { code: "idempotency_mismatch" } } });
});

test("user errors are stored as replies and roll back only their own field", async () => {
  await createUserGroup(graphql, "taken");
  const document = `mutation {
    one: createUserGroup(input: { providedId: "one", name: "One", mapping: [{ schemaId: "s", dataSource: "sales" }] }) {
      userGroup { providedId mapping { dataSource { name } } } userErrors { code } }
    source: createDataSource(input: { providedId: "sales", name: "Again" }) { userErrors { code } }
    taken: createUserGroup(input: { providedId: "taken", name: "Taken" }) { userErrors { code } }
    two: createUserGroup(input: { providedId: "two", name: "Two" }) { userGroup { providedId mapping { schemaId } } }
    renewed: createDataSource(input: { providedId: "fresh", name: "Fresh" }) { dataSource { name } userErrors { code } }
  }`;
  const first = await send("mended", document);
  expect(first.data).toEqual({
    one: {
      userGroup: { providedId: "one", mapping: [{ dataSource: { name: "Sales database" } }] },
      userErrors: [],
    },
    source: { userErrors: [{ code: "DATA_SOURCE_EXISTS" }] },
    taken: { userErrors: [{ code: "USER_GROUP_EXISTS" }] },
    two: { userGroup: { providedId: "two", mapping: [] } },
    renewed: { dataSource: { name: "Fresh" }, userErrors: [] },
  });
  expect(await find("two")).toMatchObject({ name: "Two" });
  expect(await send("mended", document)).toEqual({ ...first, replayed: true });
});

test("other errors roll back everything, and the request can be retried", async () => {
  const document = `mutation {
    first: createUserGroup(input: { providedId: "undone", name: "Undone" }) { userGroup { name } }
    second: updateUserGroup(input: { by: { providedId: "held" }, name: "New" }) { userGroup { name } }
  }`;
  await createUserGroup(graphql, "held");
  const stream = await openGroupStream(
    service.url,
    `Token ${keys.admin}`,
    `subscription { userGroupChanged(by: { providedId: "held" }) { userGroup { name } } }`,
  );
  await service.query("ALTER TABLE user_group ADD CONSTRAINT no_news CHECK (name <> 'New')");
  const failed = await send("undone", document);
  expect(failed).toMatchObject({ status: 500, data: null, errors: [{ extensions: { code: "INTERNAL" } }] });
  expect(await find("undone")).toBeNull();
  await service.query("ALTER TABLE user_group DROP CONSTRAINT no_news");
  const again = await send("undone", document);
  expect(again).toMatchObject({
    status: 200,
    replayed: false,
    data: { second: { userGroup: { name: "New" } } },
  });
  // One event: changes that were rolled back are not published.
  expect(await stream.next()).toEqual({ data: { userGroupChanged: { userGroup: { name: "New" } } } });
  await createUserGroup(graphql, "after");
  stream.close();
  const rows = await service.query(
    "SELECT action FROM audit_entry WHERE subject_name IN ('undone', 'held') ORDER BY id",
  );
  expect(rows).toEqual([
    { action: "user_group.created" },
    { action: "user_group.created" },
    { action: "user_group.updated" },
  ]);
});

test("upserts, bulk operations and mappings are part of it", async () => {
  const userGroups = Array.from({ length: 300 }, (_, index) => ({
    providedId: `bulk ${index}`,
    name: `Bulk ${index}`,
    mapping: [{ schemaId: "s", dataSource: "support" }],
  }));
  const document = `mutation ($input: UpsertUserGroupsInput!) {
    upsertUserGroups(input: $input) { results { isNew userGroup { teamId token } } }
    setUserGroupMapping(input: { by: { providedId: "bulk 7" }, schemaId: "t", dataSource: "sales" }) { userErrors { code } }
  }`;
  const first = await send("bulk", document, { input: { userGroups } });
  expect(first.errors).toBeUndefined();
  expect(await send("bulk", document, { input: { userGroups } })).toEqual({ ...first, replayed: true });
  expect((await find("bulk 7")).mapping).toHaveLength(2);
});

test("callers without write access get no stored reply, nor does a key with other scopes", async () => {
  const document = `mutation { createApiKey(input: { name: "new", scope: ADMIN }) { secret } }`;
  const first = await send("secret", document);
  expect(first.data.createApiKey.secret).toMatch(/^ugk_live_/);
  expect(await send("secret", document)).toEqual({ ...first, replayed: true });
  expect(await send("secret", document, {}, keys.write)).toMatchObject({ status: 422 });
  expect(await send("secret", document, {}, keys.read)).toMatchObject({
    status: 403,
    errors: [{ extensions: { code: "FORBIDDEN" } }],
  });
});

test("queries ignore the header, and mutations reject an invalid one", async () => {
  await createUserGroup(graphql, "read");
  const query = `query { userGroup(by: { providedId: "read" }) { name } }`;
  expect(await send("query", query)).toMatchObject({ status: 200, replayed: false });
  expect(await send("query", query)).toMatchObject({ status: 200, replayed: false });
  expect(await send("x".repeat(256), query)).toMatchObject({
    status: 400,
    errors: [{ extensions: { code: "INVALID_FIELD", field: ["Idempotency-Key"] } }],
  });
});
