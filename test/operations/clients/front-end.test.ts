import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from "@apollo/client";
import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { print } from "graphql";
import { createClient as createEventClient } from "graphql-sse";
import { expect, test, vi } from "vitest";
import { compileForRelay, hasRelayCompiler } from "../../support/clients/relay-compiler.js";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, UPDATE } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const TIMEOUT_MS = 5000;
const RENAMED = expect.stringMatching(/^Renamed/);
const GROUP =
  "{ id name version updatedAt properties mapping { schemaId dataSource { id providedId name } } }";
const OWN = `query { viewer { userGroup ${GROUP} } }`;
const WATCH = `subscription { userGroupChanged { kind userGroup ${GROUP} } }`;

/** Creates a group with the initial values. @returns its ID and its token */
async function create(providedId: string): Promise<{ readonly id: string; readonly token: string }> {
  return createUserGroup(graphql(), providedId, {
    properties: { region: "EU" },
    mapping: [entry("a", "sales")],
  });
}

const shown = (id: string, name: string, version: number) => ({
  id,
  name,
  version,
  properties: { region: "EU" },
  mapping: [{ schemaId: "a", dataSource: { id: expect.any(String), providedId: "sales" } }],
});

/** Renames the group repeatedly until the front end notices: it may not have subscribed yet. */
async function renameUntil(providedId: string, noticed: () => void): Promise<void> {
  let times = 0;
  await vi.waitFor(async () => {
    times += 1;
    await graphql().run(UPDATE, { input: { by: { providedId }, name: `Renamed ${times}` } });
    noticed();
  }, TIMEOUT_MS);
}

test("Apollo Client shows the group and, through its cache, each change", async () => {
  const { id, token } = await create("apollo");
  const client = createApolloClient(token);
  const watched = client.watchQuery<Data>({ query: gql(OWN) });
  const query = watched.subscribe(() => undefined);
  const current = () => watched.getCurrentResult().data?.viewer?.userGroup;
  await vi.waitFor(() => expect(current()).toMatchObject(shown(id, "apollo", 1)), TIMEOUT_MS);
  const changes = client.subscribe<Data>({ query: gql(WATCH) }).subscribe(() => undefined);
  await renameUntil("apollo", () => expect(current()).toMatchObject({ id, name: RENAMED }));
  expect(current().version).toBeGreaterThan(1);
  query.unsubscribe();
  changes.unsubscribe();
  client.stop();
});

test("urql's Graphcache shows the group and each change", async () => {
  const { id, token } = await create("urql");
  const client = new Client({
    url: `${graphql().service.url}/graphql`,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    preferGetMethod: false,
    fetchSubscriptions: true,
    exchanges: [cacheExchange({ keys: { Viewer: () => null, MappingEntry: () => null } }), fetchExchange],
  });
  const seen: Data[] = [];
  const query = client.query<Data>(OWN, {}).subscribe(({ data }) => void seen.push(data?.viewer.userGroup));
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject(shown(id, "urql", 1)), TIMEOUT_MS);
  const changes = client.subscription<Data>(WATCH, {}).subscribe(() => undefined);
  await renameUntil("urql", () => expect(seen.at(-1)).toMatchObject({ id, name: RENAMED }));
  query.unsubscribe();
  changes.unsubscribe();
});

test.skipIf(!hasRelayCompiler)(
  "relay-compiler's output for a front end's queries runs unchanged",
  async () => {
    const { status, output, textOf } = await compileForRelay("own-group.js");
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining("Done.") });
    const { service, run } = graphql();
    const { id, token } = await create("relay");
    const query = textOf("ownGroupQuery");
    // Relay selects the ID of each object that has one.
    expect(query.match(/\bid\b/g)?.length).toBeGreaterThan(1);
    const headers = { authorization: `Bearer ${token}` };
    const reply = await callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers);
    const ownGroup = {
      id,
      name: "relay",
      mapping: [{ dataSource: { id: expect.any(String), name: "Sales database" } }],
    };
    expect(reply).toMatchObject({ status: 200, body: { data: { viewer: { userGroup: ownGroup } } } });
    const stream = await openEventStream(service.url, `Bearer ${token}`, textOf("ownGroupSubscription"));
    expect(stream.status).toBe(200);
    await run(UPDATE, { input: { by: { providedId: "relay" }, name: "Renamed" } });
    expect(await stream.next()).toMatchObject({
      data: { userGroupChanged: { kind: "UPDATED", userGroup: { ...ownGroup, name: "Renamed" } } },
    });
    stream.close();
  },
);

test("an error has its path, over JSON and over an event stream", async () => {
  const { service } = graphql();
  const { token } = await create("refused");
  const refusal = (locations: object[], path: string[]) => ({
    message: "This token is not allowed to read `UserGroup.teamId`.",
    locations,
    path,
    extensions: { code: "FORBIDDEN", requestId: expect.any(String) },
  });
  const query = "{ viewer { userGroup { name teamId } } }";
  const headers = { authorization: `Bearer ${token}` };
  expect(await callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers)).toMatchObject({
    status: 403,
    body: { errors: [refusal([{ line: 1, column: 29 }], ["viewer", "userGroup", "teamId"])] },
  });
  const subscription = "subscription { userGroupChanged { userGroup { teamId } } }";
  expect(await openEventStream(service.url, `Bearer ${token}`, subscription)).toMatchObject({
    status: 403,
    body: { errors: [refusal([{ line: 1, column: 47 }], ["userGroupChanged", "userGroup", "teamId"])] },
  });
});

function createApolloClient(token: string): ApolloClient {
  const uri = `${graphql().service.url}/graphql`;
  const headers = { authorization: `Bearer ${token}` };
  const events = createEventClient({ url: uri, headers });
  const eventLink = new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) =>
        events.subscribe(
          { query: print(query), variables },
          {
            next: ({ data = null }) => observer.next({ data }),
            error: (reason) => observer.error(reason),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === "subscription",
      eventLink,
      new HttpLink({ uri, headers }),
    ),
    cache: new InMemoryCache(),
  });
}
