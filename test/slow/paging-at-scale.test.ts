import { beforeAll, describe, expect, test } from "vitest";
import { useGraphql } from "../support/graphql/graphql-fixture.js";

const graphql = useGraphql();
/** So many that a page by an offset would cost a hundred times as much at the end. */
const GROUPS = 30_000;
const NEIGHBOURS = 6_000;

beforeAll(async () => {
  const { service, account } = graphql();
  const neighbour = await service.createAccount();
  await insert(account.accountId, GROUPS);
  await insert(neighbour.accountId, NEIGHBOURS);
  await service.query("ANALYZE user_group");
});

async function insert(accountId: number, count: number): Promise<void> {
  await graphql().service.query(`INSERT INTO user_group
        (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup, created_at)
      SELECT ${accountId}, 'Customer', nextval('user_group_team_id'), 'group ' || n, 'Name ' || (n * 7919) % 1000,
        'none', '', sha256(convert_to(n::text, 'UTF8')), now() - make_interval(secs => (n * 31) % 50000)
      FROM generate_series(1, ${count}) AS n`);
}

describe("paging through 30,000 groups", () => {
  test("returns each remaining group exactly once during inserts and deletions", async () => {
    const { run, service, account } = graphql();
    const list = `query ($after: String) { userGroups(first: 100, after: $after, orderBy: { field: NAME }) {
      nodes { providedId } pageInfo { hasNextPage endCursor }
    } }`;
    const seen = new Map<string, number>();
    const disturb = async (page: number) => {
      // Before, behind and at the reader's position.
      const name = `Name ${(page * 37) % 1000}`;
      await service.query(`DELETE FROM user_group WHERE account_id = $1 AND provided_id = ANY ($2)`, [
        account.accountId,
        [`group ${page * 3}`, `group ${GROUPS - page * 3}`],
      ]);
      await run(
        `mutation { createUserGroup(input: { providedId: "late ${page}", name: "${name}" }) { userErrors { code } } }`,
      );
    };
    let after: string | null = null;
    for (let page = 1; ; page += 1) {
      const { userGroups } = await run(list, { after });
      for (const { providedId } of userGroups.nodes) seen.set(providedId, (seen.get(providedId) ?? 0) + 1);
      if (page % 10 === 0) await disturb(page);
      if (!userGroups.pageInfo.hasNextPage) break;
      after = userGroups.pageInfo.endCursor;
    }
    expect([...seen.values()].filter((times) => times > 1)).toEqual([]);
    const survivors: { provided_id: string }[] = await service.query(
      "SELECT provided_id FROM user_group WHERE account_id = $1 AND provided_id LIKE 'group %'",
      [account.accountId],
    );
    expect(survivors.length).toBeGreaterThan(GROUPS - 250);
    expect(survivors.filter(({ provided_id }) => !seen.has(provided_id))).toEqual([]);
  });
});
