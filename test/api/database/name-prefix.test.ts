import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

const { account, run, service } = await startGraphql();
/** Letters whose cases are special: of other lengths, of other bytes, or equal to those of other letters. */
const LETTERS = [
  ..."aAzZäÄßẞsSſiIıİkK\u212aåÅ\u212bσςΣωΩ\u2126θϴΘǆǅǄéÉ %_\\1",
  "\u0307",
  "\u{10400}",
  "\u{10428}",
];
const names = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 5 })
  .map((letters) => letters.join(""))
  .filter((name) => name.trim() === name);
const NAMES = fc.sample(names, { numRuns: 400, seed: 1 });

beforeAll(async () => {
  await service.query(
    `INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
     SELECT $1, 'Customer', nextval('user_group_team_id'), 'group ' || n, name, 'none', '', sha256(convert_to(n::text, 'UTF8'))
     FROM unnest($2::text[]) WITH ORDINALITY AS named (name, n)`,
    [account.accountId, NAMES],
  );
});

test.each(["NAME", "TEAM_ID"])(
  "the index on names finds the groups that ILIKE finds, by %s",
  async (field) => {
    const prefixes = fc.oneof(
      fc
        .constantFrom(...NAMES)
        .chain((name) => fc.nat(5).map((length) => [...name].slice(0, length).join(""))),
      names,
    );
    const query = `query ($prefix: String, $order: UserGroupOrder) {
      userGroups(first: 250, filter: { nameStartsWith: $prefix }, orderBy: $order) { nodes { name } }
    }`;
    await fc.assert(
      fc.asyncProperty(
        prefixes.filter((prefix) => prefix !== ""),
        fc.constantFrom("ASC", "DESC"),
        async (prefix, direction) => {
          const { userGroups } = await run(query, { prefix, order: { field, direction } });
          const expected = await service.query(
            `SELECT name FROM user_group WHERE account_id = $1 AND name COLLATE "default" ILIKE $2
             ORDER BY ${field === "NAME" ? `name ${direction}, id ${direction}` : `id ${direction}`} LIMIT 250`,
            [account.accountId, `${prefix.replaceAll(/[\\%_]/g, "\\$&")}%`],
          );
          expect(userGroups.nodes).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  },
);
