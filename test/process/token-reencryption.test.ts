import { randomBytes } from "node:crypto";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { TokenVault } from "../../src/domain/accounts/token-vault.js";
import { Database } from "../../src/persistence/database/database.js";
import { TokenReencryption } from "../../src/services/transfer/token-reencryption.js";
import { callGraphql } from "../support/graphql/graphql-client.js";
import { databaseUrl } from "../support/postgres/database-url.js";
import { connectDatabase } from "../support/postgres/postgres-setup.js";
import { callRest, type RestReply } from "../support/rest/rest-client.js";
import { userGroupOf } from "../support/rest/rest-fixture.js";
import { runHere } from "../support/service/command.js";
import { startTestService, type TestService } from "../support/service/test-service.js";
import {
  createTemplateSession,
  newToolSecret,
  PUBLIC_URL,
  withKeys,
  withSecret,
} from "../support/session-templates/templates.js";

/** More than one batch. */
const GROUPS = 600;
const oldKey = randomBytes(32);
const newKey = randomBytes(32);

/** One service with the old key only, and one with both keys. */
let before: TestService;
let during: TestService;
let secret: string;
let webhookSecret: string;
const toolSecret = newToolSecret();
let rotation: [key: string, body: object, headers: Record<string, string>];
let rotated: RestReply;
const tokens = new Map<string, string>();

beforeAll(async () => {
  before = await startTestService({ encryptionKey: oldKey, publicUrl: PUBLIC_URL });
  const account = await before.createAccount();
  secret = (await account.createKey()).secret;
  const testing = (await account.createKey({ environment: "Testing" })).secret;
  for (let start = 0; start < GROUPS; start += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const id = `group ${start + index}`;
        const body = { user_group_id: id, name: id };
        tokens.set(id, userGroupOf(await get(before, body)).token);
      }),
    );
  }
  const other = userGroupOf(await get(before, { user_group_id: "other", name: "Other" }, testing));
  const headers = { "idempotency-key": "other" };
  rotation = [testing, { current_token: other.token }, headers];
  rotated = await callRest(`${before.url}/api/user`, "POST", ...rotation);
  const create =
    'mutation { createWebhookEndpoint(input: { name: "hook", url: "https://hooks.example.com/" }) { secret } }';
  const { body } = await callGraphql(before.url, secret, create);
  webhookSecret = Object(body).data.createWebhookEndpoint.secret;
  for (const input of [withSecret("metabase", { secret: toolSecret }), withKeys("cube")])
    await createTemplate(before, input);
  during = await startTestService({ encryptionKey: newKey, formerKeys: [oldKey], use: before });
});

afterAll(async () => {
  await during.close();
  await before.close();
});

async function get(service: TestService, body: object, key = secret) {
  return callRest(`${service.url}/api/user`, "GET", key, body);
}

async function createTemplate({ url }: TestService, input: object, key = secret) {
  const query =
    "mutation ($input: CreateSessionTemplateInput!) { createSessionTemplate(input: $input) { userErrors { message } } }";
  const { body } = await callRest(`${url}/graphql`, "POST", key, { query, variables: { input } });
  expect(body).toEqual({ data: { createSessionTemplate: { userErrors: [] } } });
}

/** Signs a token of a group with a template's key, which must be readable. */
async function signWith({ url }: TestService, template: string): Promise<string> {
  const { body } = await createTemplateSession(url, template, { user_group_id: "group 1" }, secret);
  return body.token;
}

async function countByKey(): Promise<Record<string, number>> {
  const rows = await before.query(
    "SELECT token_key_id AS key, count(*)::integer AS n FROM user_group GROUP BY 1",
  );
  return Object.fromEntries(rows.map(({ key, n }: { key: string; n: number }) => [key, n]));
}

const idOf = (key: Buffer) => new TokenVault([key]).primaryTokenKeyId;

test("changes nothing if the database role lacks a privilege for one of the tables", async () => {
  const options = { poolSize: 1, connectTimeoutMs: 5000, statementTimeoutMs: 0 };
  const database = await Database.connect({ target: before.target, ...options });
  const [{ role } = { role: "" }] = await database
    .of("operator")
    .run<{ role: string }>({ access: "read", text: "SELECT current_user AS role" }, []);
  await before.query(`REVOKE UPDATE ON webhook_endpoint FROM ${role}`);
  const reencryption = new TokenReencryption(database, new TokenVault([newKey, oldKey]));
  await expect(reencryption.run(() => undefined)).rejects.toThrow(
    "The database role lacks UPDATE (secret_key_id, secret_ciphertext, previous_secret_ciphertext) ON webhook_endpoint.",
  );
  expect(await countByKey()).toEqual({ [idOf(oldKey)]: GROUPS + 1 });
  await before.query(`GRANT UPDATE ON webhook_endpoint TO ${role}`);
  await database.close();
});

test("re-encrypts tokens while the service rotates, creates and reads, without changing them", async () => {
  expect(await countByKey()).toEqual({ [idOf(oldKey)]: GROUPS + 1 });
  const database = await connectDatabase(before.owner);
  let working = true;
  const work = async (part: number) => {
    for (let index = part; working; index = (index + 7) % GROUPS) {
      const id = `group ${index}`;
      const current_token = tokens.get(id);
      if (index % 2 === 0) {
        const reply = await callRest(`${during.url}/api/user`, "POST", secret, { current_token });
        expect(reply.status).toBe(200);
        tokens.set(id, userGroupOf(reply).token);
      } else {
        expect(userGroupOf(await get(during, { user_group_id: id })).token).toBe(current_token);
      }
      const created = `new ${part} ${index}`;
      tokens.set(created, userGroupOf(await get(during, { user_group_id: created, name: "New" })).token);
    }
  };
  try {
    const workers = [0, 1, 2, 3, 4, 5, 6].map(work);
    const progress: number[] = [];
    const vault = new TokenVault([newKey, oldKey]);
    const { tokens: total } = await new TokenReencryption(database, vault).run((count) =>
      progress.push(count),
    );
    working = false;
    await Promise.all(workers);
    expect(total).toBe(progress.at(-1));
    // Run it again for tokens that a concurrent request encrypted under the old key.
    await new TokenReencryption(database, vault).run(() => undefined);
  } finally {
    working = false;
    await database.close();
  }
  expect(Object.keys(await countByKey())).toEqual([idOf(newKey)]);

  const [hook] = await before.query("SELECT * FROM webhook_endpoint");
  const binding = { accountId: hook.account_id, id: hook.id, kind: "webhookEndpoint" } as const;
  const encrypted = { keyId: hook.secret_key_id, ciphertext: hook.secret_ciphertext };
  expect(new TokenVault([newKey]).decrypt(encrypted, binding)).toBe(webhookSecret);
  const entries = await before.query("SELECT FROM audit_entry WHERE action = 'webhook_endpoint.updated'");
  expect(entries).toEqual([]);

  const [{ keys }] = await before.query(
    "SELECT json_agg(public_key::json) AS keys FROM template_signing_key",
  );
  const after = await startTestService({ encryptionKey: newKey, publicUrl: PUBLIC_URL, use: before });
  try {
    await jwtVerify(await signWith(after, "metabase"), Buffer.from(toolSecret));
    await jwtVerify(await signWith(after, "cube"), createLocalJWKSet({ keys }));
    const replayed = await callRest(`${after.url}/api/user`, "POST", ...rotation);
    expect(replayed).toMatchObject({ status: 200, body: rotated.body });
    for (const [id, token] of [...tokens].slice(0, 100)) {
      expect(userGroupOf(await get(after, { user_group_id: id })).token).toBe(token);
    }
  } finally {
    await after.close();
  }
});

test("refuses a schema newer than this version, which may have secrets that it does not know", async () => {
  const env = {
    DATABASE_URL: databaseUrl(before.target),
    ENCRYPTION_KEYS: [randomBytes(32), newKey].map((key) => key.toString("base64")).join(","),
  };
  await before.query("INSERT INTO schema_migration (timestamp, name) VALUES (9, 'Later9')");
  for (const command of [
    ["token", "reencrypt"],
    ["token", "reencrypt", "--status"],
  ])
    expect(await runHere(command, env)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("The database has the migration Later9 of a newer version."),
    });
  expect(Object.keys(await countByKey())).toEqual([idOf(newKey)]);
  await before.query("DELETE FROM schema_migration WHERE name = 'Later9'");
});

test("the command re-encrypts, prints nothing when there is nothing to do, and makes the old key unnecessary", async () => {
  const third = randomBytes(32).toString("base64");
  const env = {
    // The application role alone.
    DATABASE_URL: databaseUrl(before.target),
    ENCRYPTION_KEYS: `${third},${newKey.toString("base64")}`,
  };
  const keyIds = [Buffer.from(third, "base64"), newKey].map((key) => new TokenVault([key]).primaryKeyId);
  const status = async () => {
    const { stdout } = await runHere(["token", "reencrypt", "--status", "--json"], env);
    return JSON.parse(stdout);
  };
  expect(await status()).toEqual([
    { key_id: keyIds[0], rows: 0, is_first: true },
    { key_id: keyIds[1], rows: expect.any(Number), is_first: false },
  ]);
  const first = await runHere(["token", "reencrypt"], env);
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^re-encrypted \d{3,4} tokens with key \w+; /),
  });
  expect(await runHere(["token", "reencrypt"], env)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^re-encrypted 0 tokens /),
    stderr: "",
  });
  expect(await status()).toEqual([{ key_id: keyIds[0], rows: expect.any(Number), is_first: true }]);
  const alone = { ...env, ENCRYPTION_KEYS: third };
  expect(await runHere(["token", "reencrypt"], alone)).toMatchObject({ code: 0 });
  const wrong = { ...env, ENCRYPTION_KEYS: newKey.toString("base64") };
  expect(await runHere(["token", "reencrypt"], wrong)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("encrypted with other keys"),
  });
});

test("skips, names and counts rows that cannot be decrypted, re-encrypts all others, and fails at the end", async () => {
  const encryptionKey = randomBytes(32);
  const service = await startTestService({ encryptionKey });
  onTestFinished(() => service.close());
  const account = await service.createAccount();
  const { secret } = await account.createKey();
  const url = `${service.url}/api/user`;
  const ids: number[] = [];
  for (const id of ["a", "b", "c"]) {
    const group = userGroupOf(await callRest(url, "GET", secret, { user_group_id: id, name: id }));
    ids.push(group.team_id);
    const once = { "idempotency-key": id };
    await callRest(url, "POST", secret, { current_token: group.token }, once);
  }
  const hooks: string[] = [];
  for (const name of ["whole", "current", "previous"]) {
    const create = `mutation { createWebhookEndpoint(input: { name: "${name}", url: "https://hooks.example.com/" }) { webhookEndpoint { id } } }`;
    const { webhookEndpoint } = Object((await callGraphql(service.url, secret, create)).body).data
      .createWebhookEndpoint;
    const rotate = "mutation ($id: ID!) { rotateWebhookSecret(input: { id: $id }) { userErrors { code } } }";
    await callGraphql(service.url, secret, rotate, webhookEndpoint);
    hooks.push(String(Buffer.from(webhookEndpoint.id, "base64url")).replace(/\D/g, ""));
  }
  await createTemplate(service, withSecret("damaged"), secret);
  for (let count = 0; count < 2; count += 1) await service.services.signingKeys.rotate();
  const [{ id: signingKey }] = await service.query("SELECT id FROM signing_key ORDER BY created_at LIMIT 1");
  const damaged = "decode(md5('x') || md5('y'), 'hex')";
  await service.query(`UPDATE user_group SET token_ciphertext = ${damaged} WHERE provided_id = 'b'`);
  await service.query(`UPDATE user_group SET token_ciphertext = '' WHERE provided_id = 'c'`);
  await service.query(`UPDATE idempotent_request SET reply_ciphertext = ${damaged} WHERE key = 'b'`);
  await service.query(`UPDATE webhook_endpoint SET secret_ciphertext = ${damaged} WHERE name = 'current'`);
  await service.query(
    `UPDATE webhook_endpoint SET previous_secret_ciphertext = ${damaged} WHERE name = 'previous'`,
  );
  await service.query(`UPDATE signing_key SET private_key_ciphertext = ${damaged} WHERE id = $1`, [
    signingKey,
  ]);
  await service.query(`UPDATE session_template SET secret_ciphertext = ${damaged}`);
  const [{ id: sessionTemplate }] = await service.query("SELECT id::integer FROM session_template");
  const next = randomBytes(32);
  const env = {
    DATABASE_URL: databaseUrl(service.target),
    ENCRYPTION_KEYS: [next, encryptionKey].map((key) => key.toString("base64")).join(","),
  };
  const place = { account_id: account.accountId, environment: "Customer", reason: expect.any(String) };
  const end = await runHere(["token", "reencrypt", "--json"], env);
  expect(end.code).toBe(1);
  const { unreadable, ...counts } = JSON.parse(end.stdout);
  expect(counts).toEqual({ tokens: 1, key_id: new TokenVault([next]).primaryKeyId });
  expect(unreadable).toHaveLength(7);
  expect(unreadable).toEqual(
    expect.arrayContaining([
      { ...place, kind: "userGroup", id: ids[1] },
      { ...place, kind: "userGroup", id: ids[2] },
      { ...place, kind: "idempotentRequest", id: "b" },
      { ...place, kind: "webhookEndpoint", id: Number(hooks[1]) },
      { ...place, kind: "webhookEndpoint", id: Number(hooks[2]) },
      { ...place, kind: "sessionTemplate", id: sessionTemplate },
      { account_id: null, environment: null, kind: "signingKey", id: signingKey, reason: expect.any(String) },
    ]),
  );
  const owner = `account ${account.accountId}, Customer`;
  expect(end.stderr).toContain(`${owner}, the token of user group ${ids[1]}: `);
  expect(end.stderr).toContain("7 rows cannot be decrypted and were skipped.");
  const status = await runHere(["token", "reencrypt", "--status", "--json"], env);
  expect(JSON.parse(status.stdout)).toContainEqual({
    key_id: new TokenVault([encryptionKey]).primaryKeyId,
    rows: 7,
    is_first: false,
  });

  // As the guide says: replace what they contain, and run it again.
  const both = await startTestService({ encryptionKey: next, formerKeys: [encryptionKey], use: service });
  onTestFinished(() => both.close());
  const call = async (mutation: string) => {
    const { body } = await callGraphql(
      both.url,
      secret,
      `mutation { change: ${mutation} { userErrors { code } } }`,
    );
    expect(body).toEqual({ data: { change: { userErrors: [] } } });
  };
  for (const id of ids.slice(1)) await call(`rotateUserGroupToken(input: { by: { teamId: ${id} } })`);
  for (const id of hooks.slice(1)) {
    const nodeId = Buffer.from(`WebhookEndpoint:${id}`).toString("base64url");
    await call(`rotateWebhookSecret(input: { id: "${nodeId}" })`);
  }
  await call(`updateSessionTemplate(input: { by: { name: "damaged" }, secret: "${newToolSecret()}" })`);
  const again = await runHere(["token", "reencrypt"], env);
  expect(again).toMatchObject({ code: 1, stdout: expect.not.stringContaining("can be removed") });
  expect(again.stderr).toContain("2 rows cannot be decrypted and were skipped.");
});
