import { Client, type ClientOptions, fetchExchange, subscriptionExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { createClient as createEventClient } from "graphql-sse";
import { expect, test, vi } from "vitest";
import { PAGE, READ, RENAME, WATCH } from "../../support/clients/client-documents.js";
import { createUserGroups } from "../../support/clients/user-group-crowd.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, DELETE, UPDATE } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql();
const TIMEOUT_MS = 120_000;

test("a mutation updates a query through the cache", async () => {
  await createUserGroup(graphql(), "urql", { properties: { tier: "gold" } });
  const client = createClient();
  const by = { providedId: "urql" };
  const seen: Data[] = [];
  await client.query<Data>(READ, { by });
  const { unsubscribe } = client
    .query<Data>(READ, { by })
    .subscribe(({ data }) => void seen.push(data?.userGroup));
  await client.mutation<Data>(RENAME, { input: { by, name: "Renamed" } });
  await vi.waitFor(
    () =>
      expect(seen).toMatchObject([
        { name: "urql", version: 1, properties: { tier: "gold" } },
        { name: "Renamed", version: 2, properties: { tier: "gold" } },
      ]),
    TIMEOUT_MS,
  );
  unsubscribe();
});

test.each(["POST", "GET"])("relayPagination joins all pages, by %s", async (method) => {
  const prefix = `urql-${method}`;
  const ids = await createUserGroups(graphql(), prefix, 23);
  const client = method === "GET" ? createGettingClient() : createClient();
  const variables = { first: 10, filter: { nameStartsWith: prefix } };
  let page = await client.query<Data>(PAGE, variables);
  const sizes = [page.data?.userGroups.edges.length];
  while (page.data?.userGroups.pageInfo.hasNextPage) {
    page = await client.query<Data>(PAGE, { ...variables, after: page.data.userGroups.pageInfo.endCursor });
    sizes.push(page.data?.userGroups.edges.length);
  }
  expect(sizes).toEqual([10, 20, 23]);
  expect(page.data?.userGroups.edges.map(({ node }: Data) => node.providedId)).toEqual(ids);
});

test("user errors are data", async () => {
  const { data, error } = await createClient().mutation<Data>(RENAME, {
    input: { by: { providedId: "nobody" }, name: "x" },
  });
  expect(error).toBeUndefined();
  expect(data?.updateUserGroup).toMatchObject({
    userGroup: null,
    userErrors: [{ code: "USER_GROUP_NOT_FOUND" }],
  });
});

test.each([{ authorization: "Token ugk_live_wrong" }, {}])(
  "invalid or missing credentials are an error with its code",
  async (headers) => {
    const client = createClient({ fetchOptions: { headers } });
    const { error } = await client.query<Data>(READ, { by: { providedId: "urql" } });
    expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
  },
);

test.each(["graphql-sse", "urql's own fetch"])("changes arrive over %s", async (transport) => {
  const { run } = graphql();
  const providedId = `watched over ${transport}`;
  const { id, token } = await createUserGroup(graphql(), providedId);
  const by = { providedId };
  const client =
    transport === "graphql-sse" ? createEventedClient() : createClient({ fetchSubscriptions: true });
  const seen: Data[] = [];
  client.subscription<Data>(WATCH, { by }).subscribe(({ data, error }) => {
    seen.push(error ?? data?.userGroupChanged);
  });
  let times = 0;
  await vi.waitFor(async () => {
    // Decision 12a: the same name again would be no change.
    times += 1;
    await run(UPDATE, { input: { by, name: `Renamed ${times}` } });
    expect(seen).toContainEqual(expect.objectContaining({ kind: "UPDATED", userGroup: expect.anything() }));
  }, TIMEOUT_MS);
  expect(seen[0]).toMatchObject({ userGroup: { id, name: expect.stringMatching(/^Renamed/) } });
  // Ends the stream, too: after an abort, fetch keeps another connection open for some seconds.
  await run(DELETE, { input: { by: { token: token } } });
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ kind: "DELETED", userGroup: null }), TIMEOUT_MS);
});

function createClient(options: Partial<ClientOptions> = {}): Client {
  return new Client({
    url: `${graphql().service.url}/graphql`,
    fetchOptions: { headers: authorization() },
    preferGetMethod: false,
    exchanges: [cacheExchange({ resolvers: { Query: { userGroups: relayPagination() } } }), fetchExchange],
    ...options,
  });
}

/** A client that sends queries by GET, as urql does by default. */
function createGettingClient(): Client {
  return createClient({ preferGetMethod: "within-url-limit" });
}

function createEventedClient(): Client {
  const events = createEventClient({ url: `${graphql().service.url}/graphql`, headers: authorization() });
  const forwarding = subscriptionExchange({
    forwardSubscription: ({ query = "", variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: events.subscribe({ query, variables: { ...variables } }, { ...sink, next: sink.next }),
      }),
    }),
  });
  return createClient({ exchanges: [forwarding] });
}

function authorization() {
  return { authorization: `Token ${graphql().keys.admin}` };
}
