import { randomBytes, randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { findSecrets } from "../../support/secrets/secret-search.js";
import { dumpDatabase } from "../../support/secrets/stored-secrets.js";
import { startTestService } from "../../support/service/test-service.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";
import { createEndpoint } from "../../support/webhooks/operations.js";

const encryptionKey = randomBytes(32);
const graphql = await startGraphql({
  encryptionKey,
  tokenGraceSeconds: 3600,
  publicUrl: "https://groups.example.com",
  // An attacker tries every value in the dump.
  rateLimits: { maxAuthFailures: 0 },
});
const { account, front, mutate, rest, service } = graphql;

beforeAll(async () => {
  const { webhookEndpoint } = await createEndpoint(graphql, "crm");
  await mutate("rotateWebhookSecret", { id: webhookEndpoint.id });
  for (const id of ["acme", "beta"]) {
    const { token } = await createUserGroup(graphql, id, { mapping: [entry("sales", "sales")] });
    await mutate("rotateUserGroupToken", { by: { token } });
    await mutate("createEmbedSession", { by: { providedId: id } });
  }
  await mutate("updateUserGroup", { by: { providedId: "acme" }, name: "New" });
  await mutate("updateUserGroups", {
    userGroups: [{ providedId: "acme" }],
    propertiesPatch: { plan: "team" },
    bulkChangeId: randomUUID(),
  });
  await changeSite(graphql, "put", { document: goodSite });
  await mutate("setPropertySchema", { schema: { type: "object" }, mode: "WARN" });
  const { token } = await createUserGroup(graphql, "gamma");
  const headers = { "idempotency-key": "gamma" };
  expect((await rest("POST", { current_token: token }, undefined, headers)).status).toBe(200);
  await service.services.signingKeys.publicKeys();
  for (const template of [
    { algorithm: "HS256", secret: "the secret of a dashboard tool" },
    { algorithm: "ES256" },
  ]) {
    const name = template.algorithm.toLowerCase();
    await mutate("createSessionTemplate", {
      ...template,
      name,
      claims: { sub: "{{ userGroup.providedId }}" },
    });
    await mutate("createTemplateSession", { by: { providedId: "acme" }, template: name });
  }
  const person = { issuer: "https://login.example.com", id: "ada", sessionId: "1", name: "Ada" };
  const times = { signedInAt: 0, rolesReadAt: 0 };
  await service.services.consoleSessions.end(
    { keys: {}, person: { ...person, ...times, roles: [], account: "demo" } },
    true,
  );
  await service.services.purgeJob.run();
  await service.services.usage.flush();
  await service.query("INSERT INTO usage_day SELECT account_id, environment, day, 1, 0 FROM request_count");
  // As if their tokens had been imported.
  await service.query(
    "INSERT INTO brought_token SELECT account_id, environment, id, token_lookup FROM user_group",
  );
});

async function dump(): Promise<string> {
  const parts: string[] = [];
  for await (const { table, text } of dumpDatabase(service.owner)) parts.push(`${table}\n${text}`);
  return parts.join("\n");
}

describe("a database dump", () => {
  test("contains no credential that the service accepts", async () => {
    const values = valuesIn(await dump());
    expect(values.length).toBeGreaterThan(50);
    for (const value of values) {
      const asKey = await rest("GET", { user_group_id: "acme" }, value);
      const asToken = await front(value, "{ userGroup { name } }");
      expect([value, asKey.status, asToken.status]).toEqual([value, 401, 401]);
    }
  });

  test("reveals no token under another encryption key, even if an attacker writes a key of theirs into it", async () => {
    const thief = await startTestService({ use: service });
    try {
      const { secret } = await account.createKey();
      for (const body of [{ user_group_id: "acme" }, { user_group_id: "beta" }]) {
        const reply = await callRest(`${thief.url}/api/user`, "GET", secret, body);
        expect(reply.status).toBe(500);
        expect(findSecrets(JSON.stringify(reply), [])).toEqual([]);
      }
    } finally {
      await thief.close();
    }
  });
});

describe("a connection of the application role without a tenant", () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(clientOptions(service.target));
    await client.connect();
  });
  afterAll(() => client.end());

  test.each([
    ["before any scope was set", ""],
    [
      "after its transaction has ended",
      "BEGIN; SELECT set_config('app.account_id', '1', true), set_config('app.environment', 'Customer', true); COMMIT",
    ],
  ])("reads no row of any table: %s", async (_, before) => {
    const { query } = service;
    const tables = await query(`SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'v', 'm') AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migration'
        -- Views of Citus.
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`);
    expect(tables.length).toBeGreaterThan(8);
    if (before !== "") await client.query(before);
    for (const { name } of tables) {
      expect((await query(`SELECT FROM ${name}`)).length, name).toBeGreaterThan(0);
      expect(await rowsOf(`SELECT * FROM ${name}`), name).toEqual([]);
      expect(await rowsOf(`SELECT count(*) FROM ${name} HAVING count(*) > 0`), name).toEqual([]);
    }
  });

  test("cannot read values from statistics", async () => {
    const { query } = service;
    await query("ANALYZE");
    const ownRows =
      "SELECT tablename FROM pg_stats WHERE schemaname = 'public' AND tablename <> 'schema_migration'";
    expect(await query(ownRows)).not.toEqual([]);
    expect(await rowsOf(ownRows)).toEqual([]);
  });

  /** The rows of a statement; none when it is rejected. */
  async function rowsOf(text: string): Promise<object[]> {
    return client.query<object>(text).then(
      ({ rows }) => rows,
      () => [],
    );
  }
});

/** Candidates for credentials: each value, and bytes also in base64. */
function valuesIn(text: string): string[] {
  const values = [...text.matchAll(/\\x([0-9a-f]+)|[\w.:+/=-]{6,}/g)].flatMap(([value, hex]) => {
    if (hex === undefined) return [value];
    const bytes = Buffer.from(hex, "hex");
    return [hex, bytes.toString("base64"), bytes.toString("base64url"), `ugt_${bytes.toString("base64url")}`];
  });
  return [...new Set(values)];
}
