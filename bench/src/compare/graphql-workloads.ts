import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Contestant } from "./contestants.js";
import {
  DOCUMENTS,
  type Documents,
  LIST_SIZE,
  POSTGRAPHILE_DOCUMENTS,
  TREE_SIZE,
  VIEWER,
} from "./graphql-queries.js";
import { type HttpRequest, send } from "./http-request.js";
import { type Place, pickGroups, type Workload } from "./workload.js";
import type { Account, Group } from "./world.js";

const SAMPLES = 20;
const READS = 10_000;
/** The pages of a list that are asked for in turn. */
const PAGES = 40;
const SERVERS = ["mercurius", "mercurius-jit", "yoga", "plain"];
const PEERS = ["postgraphile", ...SERVERS];
const READING = { writes: false, connections: undefined, leastSeconds: 1 };

export const GRAPHQL_WORKLOADS: readonly Workload[] = [
  {
    name: "graphql-one",
    title: "GraphQL: one group with its mapping and data sources",
    peers: PEERS,
    ...READING,
    half: true,
    async check(contestant, { world }) {
      for (const place of pickGroups([world.accounts[0]], SAMPLES)) {
        const { group } = place;
        deepStrictEqual(await dataOf(contestant, one(contestant, place)), {
          userGroup: { ...idsOf(group), properties: group.properties, mapping: mappingOf(group) },
        });
      }
    },
    requests: async (contestant, { world }) =>
      pickGroups([world.accounts[0]], READS).map((place) => one(contestant, place)),
  },
  paging("graphql-list-50", "GraphQL: list of 50 groups", "list", LIST_SIZE, (group) => ({
    ...idsOf(group),
    properties: group.properties,
    version: 1,
  })),
  paging(
    "graphql-tree-100",
    "GraphQL: list of 100 groups with mappings and data sources",
    "tree",
    TREE_SIZE,
    (group) => ({
      ...idsOf(group),
      mapping: mappingOf(group),
    }),
  ),
  {
    name: "graphql-viewer",
    title: "GraphQL: the viewer's group, by its token",
    // PostGraphile would need an extension for it, or clients who hash their tokens.
    peers: SERVERS,
    ...READING,
    half: false,
    async check(contestant, { world }) {
      for (const { group } of pickGroups([world.accounts[0]], SAMPLES)) {
        const { name, properties } = group;
        const mapping = group.mapping.map(({ schemaId, dataSource }) => ({
          schemaId,
          dataSource: { providedId: dataSource.providedId, name: dataSource.name },
        }));
        deepStrictEqual(await dataOf(contestant, viewer(group)), {
          viewer: { userGroup: { name, properties, mapping } },
        });
      }
    },
    requests: async (_, { world }) =>
      pickGroups([world.accounts[0]], READS).map(({ group }) => viewer(group)),
  },
];

function paging(
  name: string,
  title: string,
  document: "list" | "tree",
  size: number,
  nodeOf: (group: Group) => object,
): Workload {
  return {
    name,
    title,
    peers: PEERS,
    ...READING,
    half: false,
    async check(contestant, { world }) {
      const [{ groups }] = world.accounts;
      const pages = await walk(contestant, world.accounts[0], document);
      for (const [index, { nodes, hasNextPage }] of pages.entries()) {
        const expected = groups.slice(index * size, (index + 1) * size).map(nodeOf);
        deepStrictEqual(
          { nodes, hasNextPage },
          { nodes: expected, hasNextPage: (index + 1) * size < groups.length },
        );
      }
    },
    async requests(contestant, { world }) {
      const pages = await walk(contestant, world.accounts[0], document);
      return pages.map(({ request }) => request);
    },
  };
}

interface WalkedPage {
  readonly request: HttpRequest;
  readonly nodes: unknown;
  readonly hasNextPage: boolean;
}

/** Reads a list from its beginning: the cursors are the contestant's own. */
async function walk(
  contestant: Contestant,
  account: Account,
  document: "list" | "tree",
): Promise<readonly WalkedPage[]> {
  const pages: WalkedPage[] = [];
  let after: string | null = null;
  do {
    const request: HttpRequest = call(contestant, account, document, { after });
    const { userGroups } = await dataOf(contestant, request);
    const { hasNextPage, endCursor } = userGroups.pageInfo;
    pages.push({ request, nodes: userGroups.nodes, hasNextPage });
    after = hasNextPage ? endCursor : null;
  } while (after !== null && pages.length < PAGES);
  return pages;
}

function one(contestant: Contestant, { account, group }: Place): HttpRequest {
  return call(contestant, account, "one", { id: group.providedId });
}

function call(
  { isPostgraphile }: Contestant,
  { key, accountId }: Account,
  document: keyof Documents,
  variables: object,
): HttpRequest {
  const body = isPostgraphile
    ? { query: POSTGRAPHILE_DOCUMENTS[document], variables: { account: accountId, ...variables } }
    : { query: DOCUMENTS[document], variables };
  return graphqlRequest(`Token ${key.secret}`, body);
}

function viewer({ token }: Group): HttpRequest {
  return graphqlRequest(`Bearer ${token}`, { query: VIEWER });
}

export function graphqlRequest(authorization: string, body: object): HttpRequest {
  return { method: "POST", path: "/graphql", authorization, body };
}

/** @throws AssertionError when the reply has errors */
export async function dataOf(
  { url }: Contestant,
  request: HttpRequest,
): Promise<ReturnType<typeof JSON.parse>> {
  const { status, text } = await send(url, request);
  strictEqual(status, 200, text);
  const { data, errors } = JSON.parse(text);
  strictEqual(errors, undefined, text);
  return data;
}

function idsOf({ id, providedId, name }: Group) {
  return { teamId: id, providedId, name };
}

function mappingOf({ mapping }: Group) {
  return mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource: { ...dataSource } }));
}
