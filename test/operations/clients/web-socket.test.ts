import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const WATCH = "subscription { userGroupChanged { kind userGroup { name } } }";
const READ = "{ viewer { userGroup { name } } }";
const changed = (name: string) => ({ userGroupChanged: { kind: "UPDATED", userGroup: { name } } });

function connect(token: string) {
  const url = `${graphql().service.url.replace("http", "ws")}/graphql`;
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  onTestFinished(async () => client.dispose());
  return client;
}

async function rename(user_group_id: string, name: string): Promise<void> {
  const { service, keys } = graphql();
  const reply = await callRest(`${service.url}/api/user`, "PUT", keys.admin, { user_group_id, name });
  expect(reply).toMatchObject({ status: 200 });
}

test("graphql-ws: queries, events, and the end by a rotated token", async () => {
  const { service, keys } = graphql();
  const { token } = await createUserGroup(graphql(), "ws");
  const started = watchStarts(service);
  const client = connect(token);
  const events = client.iterate<Data>({ query: WATCH });
  const next = events.next();
  await started(1);
  await rename("ws", "first");
  expect((await next).value).toEqual({ data: changed("first") });
  const query = client.iterate<Data>({ query: READ });
  expect((await query.next()).value).toEqual({ data: { viewer: { userGroup: { name: "first" } } } });
  expect((await query.next()).done).toBe(true);
  const rejected = client.iterate<Data>({ query: "{ unknown }" });
  await expect(rejected.next()).rejects.toMatchObject([
    { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
  ]);
  await callRest(`${service.url}/api/user`, "POST", keys.admin, { current_token: token });
  expect((await events.next()).value).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
  expect((await events.next()).done).toBe(true);
});

test("graphql-ws: invalid credentials are a close event", async () => {
  const events = connect("wrong").iterate({ query: WATCH });
  await expect(events.next()).rejects.toMatchObject({ code: 4403 });
});

test("Apollo Client: events over GraphQLWsLink, queries over HTTP", async () => {
  const { token } = await createUserGroup(graphql(), "apollo-ws");
  const started = watchStarts(graphql().service);
  const http = new HttpLink({
    uri: `${graphql().service.url}/graphql`,
    headers: { authorization: `Bearer ${token}` },
  });
  const client = new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(connect(token)),
      http,
    ),
    cache: new InMemoryCache(),
  });
  onTestFinished(() => client.stop());
  const seen: unknown[] = [];
  const subscription = client
    .subscribe<Data>({ query: gql(WATCH) })
    .subscribe(({ data, error }) => void seen.push(error ?? data));
  await started(1);
  await rename("apollo-ws", "renamed");
  await expect.poll(() => seen).toMatchObject([changed("renamed")]);
  expect(await client.query<Data>({ query: gql(READ) })).toMatchObject({
    data: { viewer: { userGroup: { name: "renamed" } } },
  });
  subscription.unsubscribe();
  await expect.poll(() => graphql().service.services.eventStreams.open).toBe(0);
});

test("urql: events over subscriptionExchange, also queries", async () => {
  const { token } = await createUserGroup(graphql(), "urql-ws");
  const started = watchStarts(graphql().service);
  const socket = connect(token);
  const client = new Client({
    url: `${graphql().service.url}/graphql`,
    preferGetMethod: false,
    exchanges: [
      subscriptionExchange({
        enableAllOperations: true,
        forwardSubscription: ({ query = "", variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe(
              { query, variables: { ...variables } },
              {
                ...sink,
                next: ({ data = null, errors }) =>
                  sink.next(errors ? { data, errors: [...errors] } : { data }),
              },
            ),
          }),
        }),
      }),
      fetchExchange,
    ],
  });
  const seen: unknown[] = [];
  const { unsubscribe } = client
    .subscription<Data>(WATCH, {})
    .subscribe(({ data, error }) => void seen.push(error ?? data));
  await started(1);
  await rename("urql-ws", "renamed");
  await expect.poll(() => seen).toMatchObject([changed("renamed")]);
  expect(await client.query<Data>(READ, {})).toMatchObject({
    data: { viewer: { userGroup: { name: "renamed" } } },
  });
  unsubscribe();
});
