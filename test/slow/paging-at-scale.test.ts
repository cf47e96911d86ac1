import { beforeAll, describe, expect, test } from "vitest";
import { type PageRequest, type Position, positionOf } from "../../src/domain/shared/pagination.js";
import { USER_GROUP_ORDER, type UserGroupSortField } from "../../src/domain/user-groups/list.js";
import type { Queryable } from "../../src/persistence/shared/statement.js";
import { TenantDb } from "../../src/persistence/shared/tenant-db.js";
import { listAllUserGroups, listUserGroups } from "../../src/persistence/user-groups/list-queries.js";
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

  test.each(["teamId", "providedId", "name", "createdAt", "updatedAt"] as const)(
    "costs as much on the last page by %s as on the first: same index plan, about as many blocks",
    async (field) => {
      const last = await positionAt(field, GROUPS - 500);
      const request = { size: 100, from: "start", before: null } as const;
      const first = await explain(field, { ...request, after: null });
      const end = await explain(field, { ...request, after: last });
      for (const plan of [first, end]) {
        expect(plan.nodes).toContain("Limit");
        expect(plan.nodes).not.toContain("Seq Scan");
        expect(plan.nodes).not.toContain("Sort");
        expect(plan).toMatchObject({ rows: 101, loops: 2 });
      }
      expect(end.nodes).toEqual(first.nodes);
      expect(end.blocks).toBeLessThan(2 * first.blocks + 10);
    },
  );
});

/** The position of the group with this many others before it. */
async function positionAt(field: UserGroupSortField, offset: number): Promise<Position> {
  const { service, account } = graphql();
  const tenant = { accountId: account.accountId, environment: "Customer" } as const;
  const page = { size: 1, from: "start", after: null, before: null } as const;
  const atOffset: Queryable = {
    run: ({ name: _, text, ...rest }, values) =>
      service.database.of(tenant).run({ ...rest, text: `${text} OFFSET ${offset}` }, values),
  };
  const { items } = await listUserGroups(
    new TenantDb(tenant, atOffset, service.database.orm),
    {},
    { field, direction: "ascending" },
    page,
  );
  const [group] = items;
  if (!group) throw new Error("There are not so many groups.");
  return positionOf(group, USER_GROUP_ORDER.fields[field]);
}

async function explain(field: UserGroupSortField, page: PageRequest) {
  const { service, account } = graphql();
  const tenant = { accountId: account.accountId, environment: "Customer" } as const;
  const plans: Record<string, unknown>[] = [];
  const explaining: Queryable = {
    async run({ text }, values) {
      const rows = await service.database
        .of(tenant)
        .run<{ "QUERY PLAN": { Plan: Record<string, unknown> }[] }>(
          { access: "write", text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}` },
          values,
        );
      plans.push(...rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => Plan)));
      return [];
    },
  };
  await listAllUserGroups(
    new TenantDb(tenant, explaining, service.database.orm),
    { field, direction: "ascending" },
    [page, page],
  );
  const [plan = {}] = plans;
  // The nodes above it order the batched pages.
  const listed = nodesOf(plan).find((node) => node["Node Type"] === "Limit") ?? {};
  return {
    nodes: nodesOf(listed).map((node) => node["Node Type"]),
    rows: listed["Actual Rows"],
    loops: listed["Actual Loops"],
    blocks: Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]),
  };
}

function nodesOf(plan: Record<string, unknown>): Record<string, unknown>[] {
  const { Plans: below } = plan;
  return [plan, ...(Array.isArray(below) ? below.flatMap(nodesOf) : [])];
}
