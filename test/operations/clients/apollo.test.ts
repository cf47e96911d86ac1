import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { expect, test, vi } from "vitest";
import * as documents from "../../support/clients/client-documents.js";
import { createUserGroups } from "../../support/clients/user-group-crowd.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql();
const TIMEOUT_MS = 120_000;
const READ = gql(documents.READ);
const RENAME = gql(documents.RENAME);
const PAGE = gql(documents.PAGE);

test("a mutation updates a query through the cache", async () => {
  await createUserGroup(graphql(), "apollo", { properties: { tier: "gold" } });
  const client = createClient();
  const by = { providedId: "apollo" };
  const seen: Data[] = [];
  await client.query({ query: READ, variables: { by } });
  const watched = client.watchQuery<Data>({ query: READ, variables: { by } });
  const subscription = watched.subscribe(({ data }) => void seen.push(data.userGroup));
  await client.mutate({ mutation: RENAME, variables: { input: { by, name: "Renamed" } } });
  expect(seen).toMatchObject([
    { name: "apollo", version: 1, properties: { tier: "gold" } },
    { name: "Renamed", version: 2, properties: { tier: "gold" } },
  ]);
  const cached = await client.query<Data>({ query: READ, variables: { by }, fetchPolicy: "cache-only" });
  expect(cached.data.userGroup).toEqual(seen.at(-1));
  subscription.unsubscribe();
  client.stop();
});

test("relayStylePagination joins all pages", async () => {
  const ids = await createUserGroups(graphql(), "apollo-page", 23);
  const client = createClient();
  const options = { query: PAGE, variables: { first: 10, filter: { nameStartsWith: "apollo-page" } } };
  const fetched = [await client.query<Data>(options)];
  const pages = client.watchQuery<Data>(options);
  const subscription = pages.subscribe(() => undefined);
  for (let info = fetched[0]?.data.userGroups.pageInfo; info.hasNextPage; ) {
    const page = await pages.fetchMore({ variables: { after: info.endCursor } });
    fetched.push(page);
    info = page.data.userGroups.pageInfo;
  }
  expect(fetched.map(({ data }) => data.userGroups.edges.length)).toEqual([10, 10, 3]);
  // Watchers are notified of cache changes a moment later.
  await vi.waitFor(() => {
    const { edges, pageInfo } = pages.getCurrentResult().data.userGroups;
    expect(edges.map(({ node }: Data) => node.providedId)).toEqual(ids);
    expect(pageInfo.hasNextPage).toBe(false);
  }, TIMEOUT_MS);
  subscription.unsubscribe();
  client.stop();
});

test("user errors are data", async () => {
  const { data, error } = await createClient().mutate<Data>({
    mutation: RENAME,
    variables: { input: { by: { providedId: "nobody" }, name: "x" } },
  });
  expect(error).toBeUndefined();
  expect(data.updateUserGroup).toMatchObject({
    userGroup: null,
    userErrors: [{ code: "USER_GROUP_NOT_FOUND" }],
  });
});

test.each([{ authorization: "Token ugk_live_wrong" }, {}])(
  "invalid or missing credentials are an error with its code",
  async (headers) => {
    const client = createClient(headers);
    const read = client.query({ query: READ, variables: { by: { providedId: "apollo" } } });
    const error = await read.catch((reason: unknown) => reason);
    if (!CombinedGraphQLErrors.is(error)) throw error;
    expect(error.errors).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
  },
);

function createClient(
  headers: Record<string, string> = { authorization: `Token ${graphql().keys.admin}` },
): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: `${graphql().service.url}/graphql`, headers }),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { userGroups: relayStylePagination(["filter", "orderBy"]) } } },
    }),
  });
}
