import { describe, expect, onTestFinished, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import {
  connectSocket,
  openSocket,
  subscribe,
  watchStarts,
} from "../../support/graphql/web-socket-client.js";
import { startTestService } from "../../support/service/test-service.js";

const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind } }";
const DOCUMENT = "{ viewer { environment } }";
const rateLimited = (limit: number) => ({
  type: "error",
  payload: [{ extensions: { code: "RATE_LIMITED", limit } }],
});

describe("the number of", () => {
  const graphql = useGraphql({
    eventStreams: { perToken: 2, perKey: 120, perAddress: 200, perProcess: 200 },
  });

  test("WebSockets per token is limited, and of their subscriptions", async () => {
    const { service } = graphql();
    const { token } = await createUserGroup(graphql(), "limited");
    const started = watchStarts(service);
    const connect = () => connectSocket(service.url, `Bearer ${token}`);
    const [first, second] = [await connect(), await connect()];
    const third = await openSocket(service.url);
    third.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    expect(await third.closed()).toEqual({
      code: 1013,
      reason: expect.stringContaining("This user group token has reached the limit of 2 open WebSockets"),
    });
    first.send(subscribe("1", WATCH));
    second.send(subscribe("1", WATCH));
    await started(2);
    second.send(subscribe("2", WATCH));
    expect(await second.next()).toMatchObject(rateLimited(2));
    first.socket.close();
    await expect.poll(() => service.services.eventStreams.open).toBe(1);
    second.send(subscribe("2", WATCH));
    await started(3);
  });

  test("operations per WebSocket is limited", async () => {
    const { service, keys } = graphql();
    await createUserGroup(graphql(), "busy");
    const started = watchStarts(service);
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    for (let id = 0; id < 100; id += 1) {
      client.send(subscribe(String(id), WATCH, { by: { providedId: "busy" } }));
    }
    await started(100);
    client.send(subscribe("more", DOCUMENT));
    expect(await client.next()).toMatchObject({ id: "more", ...rateLimited(100) });
    client.send({ id: "0", type: "complete" });
    client.send(subscribe("more", DOCUMENT));
    expect(await client.next()).toMatchObject({ id: "more", type: "next" });
  });
});

test("rate limits count operations over a WebSocket", async () => {
  const service = await startTestService({ rateLimits: { maxCost: 3 } });
  onTestFinished(() => service.close());
  const { secret } = await (await service.createAccount()).createKey();
  const client = await connectSocket(service.url, `Token ${secret}`);
  const types: unknown[] = [];
  for (let id = 0; id < 4; id += 1) {
    client.send(subscribe(String(id), DOCUMENT));
    const message = await client.next();
    types.push(Object(message).type);
    if (id < 3) await client.next();
    else expect(message).toMatchObject({ payload: [{ extensions: { code: "RATE_LIMITED" } }] });
  }
  expect(types).toEqual(["next", "next", "next", "error"]);
});

describe("persisted queries", () => {
  const graphql = useGraphql({ persistedQueries: { known: DOCUMENT, watch: WATCH } });

  test("are the only documents that run, by text or ID", async () => {
    const { service, keys } = graphql();
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    client.send(subscribe("1", "{ __typename }"));
    expect(await client.next()).toMatchObject({ payload: [{ extensions: { code: "QUERY_NOT_ALLOWED" } }] });
    for (const payload of [
      { query: DOCUMENT },
      { query: "", documentId: "known" },
      { query: "", extensions: { persistedQuery: { sha256Hash: "known" } } },
    ]) {
      client.send({ id: "2", type: "subscribe", payload });
      expect(await client.next()).toMatchObject({
        type: "next",
        payload: { data: { viewer: expect.anything() } },
      });
      expect(await client.next()).toEqual({ id: "2", type: "complete" });
    }
  });
});

describe("origins", () => {
  const graphql = useGraphql({ corsOrigins: ["https://app.example.com"] });

  test.each([
    ["https://app.example.com", 101],
    ["https://evil.example.com", 403],
    ["null", 403],
  ])("%s is answered with %i", async (origin, status) => {
    const { service, keys } = graphql();
    const opened = openSocket(service.url, { origin });
    if (status === 101) {
      const client = await opened;
      client.send({ type: "connection_init", payload: { authorization: `Token ${keys.admin}` } });
      expect(await client.next()).toEqual({ type: "connection_ack" });
    } else {
      await expect(opened).rejects.toThrow("Unexpected server response: 403");
    }
  });

  test("the service's own pages may connect", async () => {
    const { url } = graphql().service;
    const client = await openSocket(url, { origin: url });
    client.socket.close();
    expect(await client.closed()).toMatchObject({ code: 1005 });
  });
});
