import { expect, test } from "vitest";
import { hashApiKey } from "../src/domain/api-key.js";
import { useGraphql } from "./support/graphql-fixture.js";
import { callRest } from "./support/rest-client.js";
import { userGroupOf } from "./support/rest-fixture.js";

const graphql = useGraphql();

test("no key and no token stands in the log, an error or the database", async () => {
  const { service, keys, call, account } = graphql();
  const rest = (method: string, body: object, key = keys.admin) =>
    callRest(`${service.url}/api/user?token=in-the-query`, method, key, body);
  const first = userGroupOf(await rest("GET", { user_group_id: "acme", name: "Acme" })).token;
  const second = userGroupOf(await rest("POST", { current_token: first })).token;
  const failures = [
    await rest("POST", { current_token: first }),
    await rest("DELETE", { current_token: second, user_group_id: "other" }),
    await rest("GET", {}, `${keys.admin}x`),
    await call(`{ userGroup(by: { token: "${second}", id: "x" }) { name } }`),
    await call(
      `mutation { rotateUserGroupToken(input: { currentToken: "${first}" }) { userErrors { message } } }`,
    ),
  ];
  const unused = await account.createKey();
  await service.services.keyUsage.flush();

  const secrets = [first, second, keys.admin, keys.read, keys.testing, unused.secret];
  for (const text of [...failures.map((reply) => JSON.stringify(reply)), ...service.log, ...(await dump())]) {
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain("in-the-query");
  }
  expect(service.log.length).toBeGreaterThan(5);
});

test("keys are kept as hashes, tokens sealed and found by a keyed hash", async () => {
  const { service, keys } = graphql();
  const body = { user_group_id: "sealed", name: "Sealed" };
  const { token } = userGroupOf(await callRest(`${service.url}/api/user`, "GET", keys.admin, body));
  const [row] = await service.query(
    "SELECT token_lookup, token_ciphertext, token_key_id FROM user_group WHERE provided_id = 'sealed'",
  );
  // Nonce, ciphertext of the token's length, tag.
  expect(row.token_ciphertext).toHaveLength(12 + token.length + 16);
  expect(row.token_lookup).toHaveLength(32);
  expect(row.token_lookup).not.toEqual(hashApiKey(token));
  const hashes: { hash: Buffer }[] = await service.query("SELECT hash FROM api_key");
  expect(hashes.map(({ hash }) => hash.toString("hex"))).toContain(hashApiKey(keys.admin).toString("hex"));
});

test("a sealed token does not open in another group's row", async () => {
  const { service, keys } = graphql();
  for (const id of ["thief", "victim"]) {
    await callRest(`${service.url}/api/user`, "GET", keys.admin, { user_group_id: id, name: id });
  }
  await service.query(`UPDATE user_group SET token_ciphertext = (SELECT token_ciphertext FROM user_group WHERE provided_id = 'victim')
      WHERE provided_id = 'thief'`);
  const reply = await callRest(`${service.url}/api/user`, "GET", keys.admin, { user_group_id: "thief" });
  expect(reply.status).toBe(500);
});

test("when a key was last used is written down, without a request waiting for it", async () => {
  const { service, account } = graphql();
  const { secret, id } = await account.createKey();
  const lastUsed = async () => {
    const keys = await service.services.accounts.listKeys(account.name);
    return keys.find((key) => key.id === id)?.lastUsedAt;
  };
  expect(await lastUsed()).toBeNull();
  service.statements.length = 0;
  await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "acme" });
  expect(service.statements.filter((text) => text.includes("last_used_at"))).toEqual([]);
  await service.services.keyUsage.flush();
  expect(await lastUsed()).toBeInstanceOf(Date);
});

/** Every row of every table as text. */
async function dump(): Promise<string[]> {
  const { service } = graphql();
  const tables: { name: string }[] = await service.query(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  expect(tables.length).toBeGreaterThan(4);
  const rows = await Promise.all(
    tables.map(({ name }) =>
      service.query(`SELECT row_to_json(t)::text AS text, t::text AS plain FROM ${name} AS t`),
    ),
  );
  // Bytes are shown as hex: what they spell is looked for as well.
  return rows.flat().flatMap(({ text, plain }) => [text, plain, unhex(plain)]);
}

function unhex(text: string): string {
  const bytes = [...text.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex").toString("latin1"),
  );
  return bytes.join(" ");
}
