import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { toCursor } from "../../../src/domain/shared/pagination.js";
import { LIST_SIZE } from "../compare/graphql-queries.js";
import {
  dataOf,
  graphqlRequest,
  type Picker,
  readingOne,
  readingViewer,
} from "../compare/graphql-workloads.js";
import { readingRest } from "../compare/rest-workloads.js";
import type { Place, Stage, Workload } from "../compare/workload.js";
import { ENVIRONMENT, type Group } from "../compare/world.js";

/** The order of a list: its column, and its names in GraphQL and in cursors. */
const ORDERS = {
  id: { column: "id", field: "TEAM_ID", cursorField: "teamId" },
  name: { column: "name", field: "NAME", cursorField: "name" },
} as const;
const PLACES = ["first", "middle", "last"] as const;

const PAGE = `query Page($after: String, $field: UserGroupOrderField!) {
  userGroups(first: ${LIST_SIZE}, after: $after, orderBy: { field: $field }) {
    nodes { teamId providedId name properties version } pageInfo { hasNextPage endCursor }
  }
}`;

/** Shuffles the groups to read, which are stored by account. */
const pickAnywhere: Picker = ({ world }, count) => {
  const places = world.accounts.flatMap((account) => account.groups.map((group) => ({ account, group })));
  const orderOf = ({ group }: Place) => group.token.slice(-6);
  return places.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)).slice(0, count);
};

/** Reads random groups of all accounts. */
export const POINT_READS: readonly Workload[] = [readingRest, readingViewer, readingOne].map((reading) =>
  reading(pickAnywhere, Number.POSITIVE_INFINITY),
);

/** Pages of the largest account's list. */
export const PAGES: readonly Workload[] = Object.entries(ORDERS).flatMap(([order, fields]) =>
  PLACES.map((place): Workload => {
    const request = (stage: Stage) => pageRequest(stage, place, fields);
    return {
      name: `${place} page by ${order}`,
      connections: [1],
      async check(server, stage) {
        const { ids, http } = await request(stage);
        const { userGroups } = await dataOf(server, http);
        const found: readonly { readonly teamId: number }[] = userGroups.nodes;
        deepStrictEqual(
          found.map(({ teamId }) => teamId),
          ids,
        );
        strictEqual(userGroups.pageInfo.hasNextPage, place !== "last");
      },
      requests: async (_, stage) => [(await request(stage)).http],
    };
  }),
);

/** @returns also the expected IDs */
async function pageRequest(
  { database, world }: Stage,
  place: (typeof PLACES)[number],
  { column, field, cursorField }: (typeof ORDERS)[keyof typeof ORDERS],
) {
  const [{ accountId, key }] = world.accounts;
  const where = `WHERE account_id = ${accountId} AND environment = '${ENVIRONMENT}'`;
  const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM user_group ${where}`,
  );
  const skipped = { first: 0, middle: Math.floor(count / 2), last: count - LIST_SIZE }[place];
  const rows = await database.query<Pick<Group, "id" | "name">>(
    `SELECT id, name FROM user_group ${where} ORDER BY ${column}, id OFFSET ${Math.max(skipped, 1) - 1} LIMIT ${LIST_SIZE + 1}`,
  );
  const [before] = rows;
  const after =
    skipped > 0 && before ? toCursor(cursorField, { value: before[column], id: before.id }) : null;
  const ids = (after === null ? rows : rows.slice(1)).slice(0, LIST_SIZE).map(({ id }) => id);
  return { ids, http: graphqlRequest(`Token ${key.secret}`, { query: PAGE, variables: { after, field } }) };
}
