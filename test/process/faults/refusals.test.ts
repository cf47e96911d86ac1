import { randomBytes } from "node:crypto";
import { escapeIdentifier, escapeLiteral } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { canMount, mountSmallDisk } from "../../support/postgres/small-disk.js";
import { callRest } from "../../support/rest/rest-client.js";
import { expectError } from "../../support/rest/rest-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

const UPDATE = `mutation ($input: UpdateUserGroupInput!) {
  updateUserGroup(input: $input) { userGroup { version } userErrors { code } }
}`;

let service: TestService;
let key: string;
let database: string;
beforeAll(async () => {
  service = await startTestService();
  key = (await (await service.createAccount()).createKey()).secret;
  [{ database }] = await service.query("SELECT current_database() AS database");
  expect((await rest("GET", { user_group_id: "acme", name: "Acme" })).status).toBe(200);
});
afterAll(() => service.close());

const rest = (method: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  callRest(`${service.url}/api/user`, method, key, body, headers);

/** Changes the group over both APIs, with and without an Idempotency-Key: each change must be rejected as unavailable. */
async function expectChangesRefused(properties: object): Promise<void> {
  const operation = { query: UPDATE, variables: { input: { by: { providedId: "acme" }, properties } } };
  const headers = { "idempotency-key": randomBytes(8).toString("hex") };
  for (const reply of [
    await rest("PUT", { user_group_id: "acme", properties }),
    await rest("PUT", { user_group_id: "acme", properties, mapping: { a: "sales" } }),
  ]) {
    expectError(reply, 503, {
      code: "unavailable",
      message: "The service is temporarily unavailable. Try again shortly.",
    });
    expect(reply.headers["retry-after"]).toBe("1");
  }
  for (const reply of [
    await callGraphql(service.url, key, UPDATE, operation.variables),
    await callRest(`${service.url}/graphql`, "POST", key, operation, headers),
  ]) {
    expect(reply).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(reply.body).toMatchObject({ errors: [{ extensions: { code: "UNAVAILABLE", retryAfter: 1 } }] });
  }
}

async function expectReadsServed(): Promise<void> {
  expect((await rest("GET", { user_group_id: "acme" })).status).toBe(200);
  const query = `{ userGroup(by: { providedId: "acme" }) { name } }`;
  expect((await callGraphql(service.url, key, query)).status).toBe(200);
  expect((await callRest(`${service.url}/readyz`, "GET", undefined)).status).toBe(200);
}

async function expectChangesServed(properties: object): Promise<void> {
  expect((await rest("PUT", { user_group_id: "acme", properties })).status).toBe(200);
}

test("a read-only database serves reads and rejects writes until it is writable again", async () => {
  const endSessions =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  const alter = `ALTER DATABASE ${escapeIdentifier(database)}`;
  await service.query(`${alter} SET default_transaction_read_only = on`);
  await service.query(endSessions);
  await expectReadsServed();
  await expectChangesRefused({ stamp: 1 });
  // As after a failover: connections that got the error are discarded.
  await service.query("SET default_transaction_read_only = off");
  await service.query(`${alter} RESET default_transaction_read_only`);
  await expect.poll(async () => (await rest("PUT", { user_group_id: "acme", name: "New" })).status).toBe(200);
});

test.skipIf(!canMount || process.env["TEST_DATABASE_URL"] !== undefined)(
  "a full disk serves reads and rejects writes until there is space again",
  async () => {
    const [{ pid }] = await service.query("SELECT pg_backend_pid() AS pid");
    const disk = await mountSmallDisk(1, `/proc/${pid}`);
    const space = escapeIdentifier(`small_${database}`);
    try {
      await service.query(`CREATE TABLESPACE ${space} LOCATION ${escapeLiteral(disk.directory)}`);
      await service.query(`ALTER TABLE user_group SET TABLESPACE ${space}`);
      const large = () => ({ noise: randomBytes(40_000).toString("base64") });
      let fills = 0;
      while (
        (await rest("GET", { user_group_id: `f${fills}`, name: "Fill", properties: large() })).status === 200
      )
        fills += 1;
      expect(fills).toBeGreaterThan(1);
      await expectReadsServed();
      await expectChangesRefused(large());
      disk.resize(64);
      await expectChangesServed(large());
    } finally {
      await service.query("ALTER TABLE user_group SET TABLESPACE pg_default");
      await service.query(`DROP TABLESPACE IF EXISTS ${space}`);
      await disk.close();
    }
  },
);

test.each([
  ["53000", "insufficient resources"],
  ["53100", "disk full"],
  ["53200", "out of memory"],
  ["53300", "too many connections"],
  ["53400", "a configured limit"],
  ["57P01", "shutdown by an administrator"],
  ["57P02", "crash"],
  ["57P03", "starting up"],
  ["58000", "a failure of the system under it"],
  ["58030", "a failure of its disk"],
  ["08P01", "what PgBouncer reports"],
])("maps %s, %s, to unavailable", async (code) => {
  const text = `DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`;
  const unavailable = { code: "unavailable", retryAfter: 1, cause: { code } };
  const statement = { access: "write", text } as const;
  await expect(service.database.run(statement, [])).rejects.toMatchObject(unavailable);
  const transaction = service.database.transaction("operator", (open) => open.runNested(statement, []));
  await expect(transaction).rejects.toMatchObject(unavailable);
});

test("logs none of it as an error", () => {
  expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});
