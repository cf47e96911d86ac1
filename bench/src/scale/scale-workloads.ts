import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { toCursor } from "../../../src/domain/shared/page.js";
import type { Contestant } from "../compare/contestants.js";
import { DOCUMENTS, LIST_SIZE, VIEWER } from "../compare/graphql-queries.js";
import { dataOf, graphqlRequest } from "../compare/graphql-workloads.js";
import { type HttpRequest, send } from "../compare/http-request.js";
import { getReply } from "../compare/rest-workloads.js";
import type { Place, Stage, Workload } from "../compare/workload.js";
import { ENVIRONMENT, type Group } from "../compare/world.js";

const SAMPLES = 20;
const READING = { peers: [], writes: false, leastSeconds: 1, half: false };

/** Which order a list has: the column, and the field as GraphQL and a cursor have it. */
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

/** A group at random, of any account. */
export const POINT_READS: readonly Workload[] = [
  {
    name: "rest-get",
    title: "REST: get a group by its provided id",
    ...pointRead(getRequest),
    async check({ url }, stage) {
      for (const place of samples(stage)) {
        const { status, text } = await send(url, getRequest(place));
        strictEqual(status, 200, text);
        deepStrictEqual(JSON.parse(text), getReply(place));
      }
    },
  },
  {
    name: "graphql-viewer",
    title: "GraphQL: the viewer's group, by its token, with its mapping",
    ...pointRead(viewerRequest),
    async check(contestant, stage) {
      for (const place of samples(stage)) {
        const { name, properties } = place.group;
        const mapping = place.group.mapping.map(({ schemaId, dataSource: { providedId, name: source } }) => ({
          schemaId,
          dataSource: { providedId, name: source },
        }));
        deepStrictEqual(await dataOf(contestant, viewerRequest(place)), {
          viewer: { userGroup: { name, properties, mapping } },
        });
      }
    },
  },
  {
    name: "graphql-one",
    title: "GraphQL: one group by its provided id, with its mapping",
    ...pointRead(oneRequest),
    async check(contestant, stage) {
      for (const place of samples(stage)) {
        const { id: teamId, providedId, name, properties, mapping } = place.group;
        deepStrictEqual(await dataOf(contestant, oneRequest(place)), {
          userGroup: { teamId, providedId, name, properties, mapping },
        });
      }
    },
  },
];

/** Pages of the largest account's list. */
export const PAGES: readonly Workload[] = Object.entries(ORDERS).flatMap(
  ([order, { column, field, cursorField }]) =>
    PLACES.map((place) => {
      const request = async ({ database, world }: Stage) => {
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
        const http = graphqlRequest(`Token ${key.secret}`, { query: PAGE, variables: { after, field } });
        return { ids, http };
      };
      return {
        name: `${place} page by ${order}`,
        title: `GraphQL: ${place} page of ${LIST_SIZE} by ${order}`,
        ...READING,
        connections: [1],
        async check(contestant: Contestant, stage: Stage) {
          const { ids, http } = await request(stage);
          const { userGroups } = await dataOf(contestant, http);
          const found: readonly { readonly teamId: number }[] = userGroups.nodes;
          deepStrictEqual(
            found.map(({ teamId }) => teamId),
            ids,
          );
          strictEqual(userGroups.pageInfo.hasNextPage, place !== "last");
        },
        requests: async (_: Contestant, stage: Stage) => [(await request(stage)).http],
      };
    }),
);

function pointRead(toRequest: (place: Place) => HttpRequest) {
  return {
    ...READING,
    connections: undefined,
    requests: async (_: Contestant, stage: Stage) => placesOf(stage).map(toRequest),
  };
}

/** The groups that are read come in the world by account; here, in the order of what nobody can foresee. */
function placesOf({ world }: Stage): readonly Place[] {
  const places = world.accounts.flatMap((account) => account.groups.map((group) => ({ account, group })));
  return places.toSorted((one, other) => (one.group.token.slice(-6) < other.group.token.slice(-6) ? -1 : 1));
}

function samples(stage: Stage): readonly Place[] {
  return placesOf(stage).slice(0, SAMPLES);
}

function getRequest({ account, group }: Place): HttpRequest {
  const body = { user_group_id: group.providedId, name: group.name };
  return { method: "GET", path: "/api/user", authorization: `Token ${account.key.secret}`, body };
}

function viewerRequest({ group }: Place): HttpRequest {
  return graphqlRequest(`Bearer ${group.token}`, { query: VIEWER });
}

function oneRequest({ account, group }: Place): HttpRequest {
  const body = { query: DOCUMENTS.one, variables: { id: group.providedId } };
  return graphqlRequest(`Token ${account.key.secret}`, body);
}
