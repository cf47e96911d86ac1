import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { Client, type ClientOptions, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { serverAudits } from "graphql-http";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, UPSERT } from "../../support/graphql/user-group-operations.js";
import { compileForRelay, hasRelayCompiler } from "../support/relay-compiler.js";

const graphql = useGraphql();
const READ = `query ($by: UserGroupBy!) { userGroup(by: $by) { id name version properties } }`;
const RENAME = `mutation ($input: UpdateUserGroupInput!) {
  updateUserGroup(input: $input) { userGroup { id name version } userErrors { code message field } }
}`;
const PAGE = `query ($first: Int!, $after: String, $filter: UserGroupFilter) {
  userGroups(first: $first, after: $after, filter: $filter) {
    edges { cursor node { id providedId } }
    pageInfo { hasNextPage endCursor }
  }
}`;

type Variables = Readonly<Record<string, unknown>>;

/** What the tests need of a client library. */
interface Library {
  query(document: string, variables: Variables): Promise<Data>;
  mutate(document: string, variables: Variables): Promise<Data>;
  /** Shows a query and its changes in the cache. @returns a function that ends it */
  show(document: string, variables: Variables, next: (data: Data) => void): () => void;
  /** Reads all pages of ten. @returns their edges, joined in the cache */
  readAll(filter: object): Promise<Data[]>;
  /** The errors of a query that fails. */
  errorsOf(document: string, variables: Variables): Promise<unknown>;
}

const url = () => `${graphql().service.url}/graphql`;
const authorization = () => ({ authorization: `Token ${graphql().keys.admin}` });

function apollo(headers: Record<string, string> = authorization()): Library {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url(), headers }),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { userGroups: relayStylePagination(["filter", "orderBy"]) } } },
    }),
  });
  onTestFinished(() => client.stop());
  const query: Library["query"] = async (document, variables) =>
    (await client.query<Data>({ query: gql(document), variables })).data;
  return {
    query,
    mutate: async (document, variables) => {
      const { data, error } = await client.mutate<Data>({ mutation: gql(document), variables });
      expect(error).toBeUndefined();
      return data;
    },
    show(document, variables, next) {
      const watched = client.watchQuery<Data>({ query: gql(document), variables });
      const subscription = watched.subscribe(({ data }) => next(data));
      return () => subscription.unsubscribe();
    },
    async readAll(filter) {
      const options = { query: gql(PAGE), variables: { first: 10, filter } };
      const first = await client.query<Data>(options);
      const pages = client.watchQuery<Data>(options);
      const subscription = pages.subscribe(() => undefined);
      for (let info = first.data.userGroups.pageInfo; info.hasNextPage; )
        info = (await pages.fetchMore({ variables: { after: info.endCursor } })).data.userGroups.pageInfo;
      // Watchers are notified of cache changes a moment later.
      const joined = () => pages.getCurrentResult().data.userGroups;
      await expect.poll(() => joined().pageInfo.hasNextPage).toBe(false);
      subscription.unsubscribe();
      return joined().edges;
    },
    async errorsOf(document, variables) {
      const error = await query(document, variables).catch((reason: unknown) => reason);
      if (!CombinedGraphQLErrors.is(error)) throw error;
      return error.errors;
    },
  };
}

function urqlClient(options: Partial<ClientOptions> = {}): Client {
  return new Client({
    url: url(),
    fetchOptions: { headers: authorization() },
    preferGetMethod: false,
    exchanges: [cacheExchange({ resolvers: { Query: { userGroups: relayPagination() } } }), fetchExchange],
    ...options,
  });
}

function urql(
  headers: Record<string, string> = authorization(),
  options: Partial<ClientOptions> = {},
): Library {
  const client = urqlClient({ fetchOptions: { headers }, ...options });
  return {
    query: async (document, variables) => (await client.query<Data>(document, variables)).data,
    mutate: async (document, variables) => {
      const { data, error } = await client.mutation<Data>(document, variables);
      expect(error).toBeUndefined();
      return data;
    },
    show(document, variables, next) {
      return client.query<Data>(document, variables).subscribe(({ data }) => next(data)).unsubscribe;
    },
    async readAll(filter) {
      const variables = { first: 10, filter };
      let page = await client.query<Data>(PAGE, variables);
      while (page.data?.userGroups.pageInfo.hasNextPage)
        page = await client.query<Data>(PAGE, {
          ...variables,
          after: page.data.userGroups.pageInfo.endCursor,
        });
      return page.data?.userGroups.edges;
    },
    errorsOf: async (document, variables) =>
      (await client.query<Data>(document, variables)).error?.graphQLErrors,
  };
}

describe.each([
  ["Apollo Client", apollo],
  ["urql", urql],
  // As urql does by default.
  ["urql by GET", () => urql(authorization(), { preferGetMethod: "within-url-limit" })],
])("%s", (name, open) => {
  test("a mutation updates a query through the cache", async () => {
    await createUserGroup(graphql(), name, { properties: { tier: "gold" } });
    const library = open();
    const by = { providedId: name };
    const seen: Data[] = [];
    await library.query(READ, { by });
    const end = library.show(READ, { by }, (data) => seen.push(data?.userGroup));
    await library.mutate(RENAME, { input: { by, name: "Renamed" } });
    await expect
      .poll(() => seen)
      .toMatchObject([
        { name, version: 1, properties: { tier: "gold" } },
        { name: "Renamed", version: 2, properties: { tier: "gold" } },
      ]);
    end();
  });

  test("its pagination joins all pages", async () => {
    const ids = Array.from({ length: 23 }, (_, index) => `page of ${name} ${index}`);
    const userGroups = ids.map((providedId) => ({ providedId, name: providedId }));
    await graphql().run(UPSERT, { input: { userGroups } });
    const edges = await open().readAll({ nameStartsWith: `page of ${name} ` });
    expect(edges.map(({ node }) => node.providedId)).toEqual(ids);
  });

  test("user errors are data", async () => {
    const input = { by: { providedId: "nobody" }, name: "x" };
    expect(await open().mutate(RENAME, { input })).toMatchObject({
      updateUserGroup: { userGroup: null, userErrors: [{ code: "USER_GROUP_NOT_FOUND" }] },
    });
  });
});

test.each([
  ["Apollo Client", apollo],
  ["urql", urql],
])("%s: invalid or missing credentials are an error with its code", async (_, open) => {
  const headers: Record<string, string>[] = [{ authorization: "Token ugk_live_wrong" }, {}];
  for (const each of headers)
    expect(await open(each).errorsOf(READ, { by: { providedId: "a" } })).toMatchObject([
      { extensions: { code: "UNAUTHENTICATED" } },
    ]);
});

// Apollo Server's CSRF prevention: a GET needs a header that a form cannot send.
const BARE_GET = "notice";
/** GraphQL over HTTP audits with deliberate warnings; none may be an error. */
const DEPARTURES: ReadonlyMap<string, typeof BARE_GET> = new Map([
  ["5A70", BARE_GET],
  ["D6D5", BARE_GET],
  ["6A70", BARE_GET],
]);
const audits = serverAudits({ url });

test.each(audits)("$id $name", async ({ id, fn }) => {
  const result = await fn();
  expect(result).toMatchObject({ status: DEPARTURES.get(id) ?? "ok" });
  if (DEPARTURES.has(id)) expect(result).toMatchObject({ response: { status: 400 } });
});

test("every listed deviation occurs in the audits", () => {
  expect(audits.map(({ id }) => id)).toEqual(expect.arrayContaining([...DEPARTURES.keys()]));
});

test("the GET audits pass with a header that a form cannot send", async () => {
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, "apollo-require-preflight": "true" } });
  const results = await Promise.all(
    serverAudits({ url, fetchFn })
      .filter(({ id }) => DEPARTURES.get(id) === BARE_GET)
      .map(({ fn }) => fn()),
  );
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
});

const LIST = "user-group-list.js";
const OPERATIONS = [
  "userGroupListDeleteMutation",
  "userGroupListItemQuery",
  "userGroupListPaginationQuery",
  "userGroupListRenameMutation",
  "userGroupListSubscription",
];

test.skipIf(!hasRelayCompiler)("relay-compiler compiles a paginated list, which loads more", async () => {
  const { run } = graphql();
  const { status, output, directory, textOf } = await compileForRelay(LIST);
  expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("Done.") });
  const artefacts = await readdir(join(directory, "src", "__generated__"));
  expect(artefacts.toSorted()).toEqual(
    [...OPERATIONS, "userGroupList_item", "userGroupList_query"]
      .map((name) => `${name}.graphql.js`)
      .toSorted(),
  );

  const { id } = await createUserGroup(graphql(), "relay-1");
  await createUserGroup(graphql(), "relay-2");
  const variables = { first: 1, filter: { nameStartsWith: "relay" } };
  const { userGroups } = await run(textOf("userGroupListPaginationQuery"), variables);
  expect(userGroups).toMatchObject({ edges: [{ node: { id } }], pageInfo: { hasNextPage: true } });
  const after = userGroups.pageInfo.endCursor;
  const next = await run(textOf("userGroupListPaginationQuery"), { ...variables, after });
  expect(next.userGroups).toMatchObject({ edges: [{ node: { name: "relay-2" } }] });
  const item = await run(textOf("userGroupListItemQuery"), { id });
  expect(item).toMatchObject({ node: { id, name: "relay-1", mapping: [] } });
});
