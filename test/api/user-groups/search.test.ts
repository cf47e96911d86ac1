import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const { account, mutate, run, service } = await startGraphql();

/** Letters whose cases or accents are special, wildcards, and scripts without cases or written from the right. */
const LETTERS = [
  ..."aAzZäÄßẞsSſiIıİkK\u212aåÅ\u212bσςΣωΩ\u2126θϴΘǆǅǄéÉłŁøØđĐħĦŧŦ %_\\1жЖйЙ東京각가אָבن",
  "\u0301",
  "\u0307",
  "\u{10400}",
  "\u{10428}",
];
const texts = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength })
    .map((letters) => letters.join("").trim())
    .filter((text) => text !== "");
const GROUPS = fc.sample(fc.tuple(texts(6), texts(3)), { numRuns: 240, seed: 1 });

/** The condition without derived columns. */
const WITHOUT = (text: string) =>
  `regexp_replace(normalize(translate(${text}, 'łŁøØđĐħĦŧŦı', 'lLoOdDhHtTi'), NFD), '[\\u0300-\\u036f]', '', 'g')`;
const EXPECTED = `SELECT name FROM user_group WHERE account_id = $1 AND NOT EXISTS (SELECT FROM unnest($2::text[]) AS word
    WHERE NOT (${WITHOUT("name")} || E'\\n' || ${WITHOUT("provided_id")}) COLLATE "default" ILIKE ${WITHOUT("word")})
  ORDER BY id`;

beforeAll(async () => {
  for (let from = 0; from < GROUPS.length; from += 80) {
    const userGroups = GROUPS.slice(from, from + 80).map(([name, id], index) => ({
      providedId: `${from + index} ${id}`,
      name,
    }));
    const { userErrors } = await mutate("upsertUserGroups", { userGroups });
    expect(userErrors).toEqual([]);
  }
  await expectDerivedColumns(service);
});

describe.each([
  ["with valid derived columns", "SELECT"],
  // Like groups that a process of a release without the columns creates or changes.
  [
    "after a release without the columns has written groups",
    "UPDATE user_group SET search_hash = NULL, search_text = NULL",
  ],
  [
    "after a release without the columns has renamed groups",
    "UPDATE user_group SET search_hash = 1, search_text = 'a1'",
  ],
])("%s", (_, change) => {
  beforeAll(() => service.query(change));

  test("words in any order are found, ignoring case and accents", async () => {
    const words = fc.oneof(
      fc.constantFrom(...GROUPS.flat()).chain((text) =>
        fc.tuple(fc.nat(5), fc.nat(5)).map(([from, to]) =>
          [...text]
            .slice(from, to + 1)
            .join("")
            .trim(),
        ),
      ),
      texts(2),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          words.filter((word) => word !== ""),
          { minLength: 1, maxLength: 3 },
        ),
        async (list) => {
          const search = list.join(" ");
          const query =
            "query ($search: String) { userGroups(first: 250, filter: { search: $search }) { nodes { name } } }";
          const { userGroups } = await run(query, { search });
          const patterns = search.split(/\s+/u).map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
          expect(userGroups.nodes).toEqual(await service.query(EXPECTED, [account.accountId, patterns]));
        },
      ),
      { numRuns: 120 },
    );
  });
});

test("a group that a release without the columns has renamed is found by its new name, also after the next change", async () => {
  const providedId = "renamed";
  await mutate("createUserGroup", { providedId, name: "Før" });
  const found = async (search: string) => {
    const query = "query ($search: String) { userGroups(filter: { search: $search }) { totalCount } }";
    return (await run(query, { search: `${search} renamed` })).userGroups.totalCount;
  };
  expect([await found("for"), await found("etter")]).toEqual([1, 0]);
  await service.query(
    "UPDATE user_group SET name = 'Étter', version = version + 1 WHERE provided_id = 'renamed'",
  );
  expect([await found("for"), await found("etter")]).toEqual([0, 1]);
  await mutate("rotateUserGroupToken", { by: { providedId } });
  expect([await found("for"), await found("etter")]).toEqual([0, 1]);
  await mutate("updateUserGroup", { by: { providedId }, properties: { a: 1 } });
  expect([await found("for"), await found("etter")]).toEqual([0, 1]);
  await mutate("updateUserGroup", { by: { providedId }, name: "Igjen é" });
  expect([await found("igjen e"), await found("etter")]).toEqual([1, 0]);
  await service.query("DELETE FROM user_group WHERE provided_id <> 'renamed'");
  await expectDerivedColumns(service);
});
