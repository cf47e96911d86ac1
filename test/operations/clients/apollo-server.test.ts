import { ApolloServer, type ApolloServerOptions, type BaseContext } from "@apollo/server";
import { defineIntegrationTestSuite } from "@apollo/server-integration-testsuite";
import { beforeEach, expect, test } from "vitest";
import { registerApolloRoute } from "../../../src/graphql/server/apollo-route.js";
import { createBareServer } from "../../../src/http/server/http-server.js";

const NO_STORE = "decision 11: every reply says no-store";
const MEDIA_TYPE = "what is not sent as JSON is refused with 415, in our words";
/** The tests of Apollo's own suite that contradict what we decided, by their last name. */
const DEPARTURES: ReadonlyMap<string, string> = new Map([
  ["default", MEDIA_TYPE],
  ["throws an error if POST body is empty", MEDIA_TYPE],
  ["throws an error if invalid content-type", MEDIA_TYPE],
  ["throws an error if GET request has a malformed content-type", MEDIA_TYPE],
  ["throws an error if POST JSON is malformed", "we say in our own words where the JSON breaks"],
  ["applies cacheControl Headers", NO_STORE],
  ["applies cacheControl Headers for batched operation", NO_STORE],
  ["applies cacheControl Headers with if-cacheable", NO_STORE],
  ["contains private cacheControl Headers when scoped", NO_STORE],
  ["runs when cache-control is disabled", NO_STORE],
  ["cache-control not set without any hints with if-cacheable", NO_STORE],
  ["cache-control set with dynamic hint", NO_STORE],
  ["cache-control set with defaultMaxAge", NO_STORE],
  ["returns PersistedQueryNotSupported to a GET request if PQs disabled", NO_STORE],
  ["returns PersistedQueryNotSupported to a POST request if PQs disabled", NO_STORE],
  ["returns PersistedQueryNotFound to a GET request", NO_STORE],
  ["returns PersistedQueryNotFound to a POST request", NO_STORE],
]);
const left: string[] = [];

beforeEach(({ task, skip }) => {
  const reason = DEPARTURES.get(task.name);
  if (reason === undefined) return;
  left.push(task.name);
  skip(reason);
});

// Its tests of incremental delivery skip themselves: they need graphql 17.
defineIntegrationTestSuite(async (config: ApolloServerOptions<BaseContext>, options) => {
  const server = new ApolloServer(config);
  await server.start();
  const app = createBareServer({
    level: "silent",
    stream: { write: () => undefined },
    successesPerSecond: 0,
  });
  registerApolloRoute(app, server, options?.context ?? (async () => ({})));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const extraCleanup = async () => {
    // The suite's client keeps them.
    app.server.closeAllConnections();
    await app.close();
  };
  return { server, url, extraCleanup };
});

test("the suite has each of the tests that are left out, once", () => {
  expect(left.toSorted()).toEqual([...DEPARTURES.keys()].toSorted());
});
