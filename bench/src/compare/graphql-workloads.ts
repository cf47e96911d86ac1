import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ServerProcess } from "../server-process.js";
import { POSTGRAPHILE } from "./contestants.js";
import {
  DOCUMENTS,
  type Documents,
  LIST_SIZE,
  POSTGRAPHILE_DOCUMENTS,
  TREE_SIZE,
  VIEWER,
} from "./graphql-queries.js";
import { type HttpRequest, send } from "./http-request.js";
import { type Place, pickTenants, type Stage, TENANTS, type Workload, withTenants } from "./workload.js";
import type { Account, Group } from "./world.js";

const SAMPLES = 20;
const READS = 10_000;
/** The number of list pages requested in turn. */
const PAGES = 40;
const JIT_PEERS = ["mercurius-jit-rls", "mercurius-jit"];
const SERVERS = [...JIT_PEERS, "mercurius", "plain"];
const PEERS = [...SERVERS, POSTGRAPHILE];
const TENANT_PEERS = [...JIT_PEERS, POSTGRAPHILE];

/** Picks the groups that a workload reads. */
export type Picker = (stage: Stage, count: number) => readonly Place[];

export const GRAPHQL_WORKLOADS: readonly Workload[] = [
  ...withTenants(readingOne, { peers: PEERS, half: true }, TENANT_PEERS),
  ...paging("graphql-list-50", "list", LIST_SIZE, (group) => ({
    ...idsOf(group),
    properties: group.properties,
    version: 1,
  })),
  ...paging("graphql-tree-100", "tree", TREE_SIZE, (group) => ({
    ...idsOf(group),
    mapping: mappingOf(group),
  })),
  // Without PostGraphile, which would need an extension or clients that hash their tokens.
  ...withTenants(readingViewer, { peers: SERVERS, half: true }, JIT_PEERS),
];

/** Reads one group with its mapping and data sources. */
export function readingOne(pick: Picker, reads = READS): Workload {
  const one = (server: ServerProcess, { account, group }: Place) =>
    call(server, account, "one", { id: group.providedId });
  return {
    name: "graphql-one",
    async check(server, stage) {
      for (const place of pick(stage, SAMPLES)) {
        const { group } = place;
        deepStrictEqual(await dataOf(server, one(server, place)), {
          userGroup: { ...idsOf(group), properties: group.properties, mapping: mappingOf(group) },
        });
      }
    },
    requests: async (server, stage) => pick(stage, reads).map((place) => one(server, place)),
  };
}

/** Reads the viewer's group by its token. */
export function readingViewer(pick: Picker, reads = READS): Workload {
  const viewer = ({ group }: Place) => graphqlRequest(`Bearer ${group.token}`, { query: VIEWER });
  return {
    name: "graphql-viewer",
    async check(server, stage) {
      for (const place of pick(stage, SAMPLES)) {
        const { name, properties } = place.group;
        const mapping = place.group.mapping.map(({ schemaId, dataSource }) => ({
          schemaId,
          dataSource: { providedId: dataSource.providedId },
        }));
        deepStrictEqual(await dataOf(server, viewer(place)), {
          viewer: { userGroup: { name, properties, mapping } },
        });
      }
    },
    requests: async (_, stage) => pick(stage, reads).map(viewer),
  };
}

/** Reads pages of the largest account, and first pages of a thousand accounts. */
function paging(
  name: string,
  document: "list" | "tree",
  size: number,
  nodeOf: (group: Group) => object,
): readonly Workload[] {
  const pages: Workload = {
    name,
    peers: PEERS,
    half: true,
    async check(server, { world }) {
      const [account] = world.accounts;
      for (const [index, { nodes, hasNextPage }] of (await walk(server, account, document)).entries()) {
        const expected = account.groups.slice(index * size, (index + 1) * size).map(nodeOf);
        deepStrictEqual(nodes, expected);
        strictEqual(hasNextPage, (index + 1) * size < account.groups.length);
      }
    },
    requests: async (server, { world }) =>
      (await walk(server, world.accounts[0], document)).map(({ request }) => request),
  };
  const firstPages = async (server: ServerProcess, stage: Stage) =>
    pickTenants(stage, READS).map(({ account }) => call(server, account, document, { after: null }));
  return [pages, { ...pages, name: `${name}${TENANTS}`, peers: TENANT_PEERS, requests: firstPages }];
}

/** Reads a list from the beginning, with the contestant's own cursors. */
async function walk(server: ServerProcess, account: Account, document: "list" | "tree") {
  const pages: { request: HttpRequest; nodes: unknown; hasNextPage: boolean }[] = [];
  let after: string | null = null;
  do {
    const request: HttpRequest = call(server, account, document, { after });
    const { userGroups } = await dataOf(server, request);
    const { hasNextPage, endCursor } = userGroups.pageInfo;
    pages.push({ request, nodes: userGroups.nodes, hasNextPage });
    after = hasNextPage ? endCursor : null;
  } while (after !== null && pages.length < PAGES);
  return pages;
}

function call(
  { name }: ServerProcess,
  { key, accountId }: Account,
  document: keyof Documents,
  variables: object,
): HttpRequest {
  const body =
    name === POSTGRAPHILE
      ? { query: POSTGRAPHILE_DOCUMENTS[document], variables: { account: accountId, ...variables } }
      : { query: DOCUMENTS[document], variables };
  return graphqlRequest(`Token ${key.secret}`, body);
}

export function graphqlRequest(authorization: string, body: object): HttpRequest {
  return { method: "POST", path: "/graphql", authorization, body };
}

/** @throws AssertionError when the reply has errors */
export async function dataOf(
  { url }: ServerProcess,
  request: HttpRequest,
): Promise<ReturnType<typeof JSON.parse>> {
  const { status, text } = await send(url, request);
  strictEqual(status, 200, text);
  // PostGraphile returns 64-bit integers as strings.
  const { data, errors } = JSON.parse(text, (key, value) =>
    /^(team|dataSource)Id$/.test(key) ? +value : value,
  );
  strictEqual(errors, undefined, text);
  return data;
}

function idsOf({ id, providedId, name }: Group) {
  return { teamId: id, providedId, name };
}

function mappingOf({ mapping }: Group) {
  return mapping.map(({ schemaId, dataSource }) => ({ schemaId, dataSource: { ...dataSource } }));
}
