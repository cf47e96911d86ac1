import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import type { Database } from "../../../src/persistence/database/database.js";
import { TokenReencryption } from "../../../src/services/transfer/token-reencryption.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectDatabase } from "../../support/postgres/postgres-setup.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const encryptionKey = randomBytes(32);
const vault = new TokenVault([encryptionKey]);
const graphql = useGraphql({ encryptionKey });

type Format = "current" | "former";

/** Creates a group whose token is stored in a format; the former one binds the ciphertext to the group's ID. */
async function create(providedId: string, format: Format): Promise<string> {
  const { token } = await createUserGroup(graphql(), providedId);
  if (format === "current") return token;
  const { query } = graphql().service;
  const [{ id, accountId }] = await query(
    'SELECT id, account_id AS "accountId" FROM user_group WHERE provided_id = $1',
    [providedId],
  );
  const { keyId, ciphertext } = vault.encrypt(token, { accountId, id }, vault.primaryKeyId);
  await query("UPDATE user_group SET token_key_id = $2, token_ciphertext = $3 WHERE id = $1", [
    id,
    keyId,
    ciphertext,
  ]);
  return token;
}

function rest(method: string, body: object) {
  return callRest(`${graphql().service.url}/api/user`, method, graphql().keys.admin, body);
}

async function keyIdOf(providedId: string): Promise<string> {
  const rows = await graphql().service.query(
    'SELECT token_key_id AS "keyId" FROM user_group WHERE provided_id = $1',
    [providedId],
  );
  return rows[0].keyId;
}

test("a token in the former format can be read and is replaced by one in the current format", async () => {
  const token = await create("rotated", "former");
  expect(await keyIdOf("rotated")).toBe(vault.primaryKeyId);
  expect(userGroupOf(await rest("GET", { user_group_id: "rotated" })).token).toBe(token);
  const rotated = userGroupOf(await rest("POST", { current_token: token })).token;
  expect(await keyIdOf("rotated")).toBe(vault.primaryTokenKeyId);
  expect(userGroupOf(await rest("GET", { user_group_id: "rotated" })).token).toBe(rotated);
});

describe("re-encryption", () => {
  let database: Database;
  beforeAll(async () => {
    const { owner: target } = graphql().service;
    database = await connectDatabase(target, 1);
  });
  afterAll(() => database.close());

  test("converts tokens in the former format once without changing them", async () => {
    const token = await create("converted", "former");
    const run = () => new TokenReencryption(database, vault).run(() => undefined);
    expect(await run()).toBe(1);
    expect(await run()).toBe(0);
    expect(await keyIdOf("converted")).toBe(vault.primaryTokenKeyId);
    expect(userGroupOf(await rest("GET", { user_group_id: "converted" })).token).toBe(token);
  });
});

describe("a ciphertext that was copied from another row", () => {
  const formats: readonly Format[] = ["current", "former"];
  test.each(formats.flatMap((from) => formats.map((to) => [from, to] as const)))(
    "from one in the %s format to one in the %s format is not decrypted",
    async (from, to) => {
      const [victim, thief] = [`victim-${from}-${to}`, `thief-${from}-${to}`];
      await create(victim, from);
      await create(thief, to);
      const { query } = graphql().service;
      for (const column of ["token_ciphertext", "token_key_id"]) {
        await query(
          `UPDATE user_group AS thief SET ${column} = victim.${column} FROM user_group AS victim
            WHERE victim.account_id = thief.account_id AND victim.provided_id = $1 AND thief.provided_id = $2`,
          [victim, thief],
        );
        const { status, body } = await rest("GET", { user_group_id: thief });
        expect([column, status]).toEqual([column, 500]);
        expect(JSON.stringify(body)).not.toContain("ugt_");
      }
    },
  );
});
