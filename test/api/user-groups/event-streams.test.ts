import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type EventStream,
  openEventStream,
  openGroupStream,
} from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { openSlowReader } from "../../support/graphql/slow-reader.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribeToGroup } from "../../support/graphql/web-socket-client.js";
import { metricValue } from "../../support/service/metric-samples.js";

/** Event streams, and subscriptions over a WebSocket. */
const MANY = 400;
const OVER_SOCKET = 100;
const WATCH = `subscription ($by: UserGroupBy) {
  userGroupChanged(by: $by) { kind userGroup { name mapping { dataSource { providedId } } } }
}`;

const graphql = useGraphql({
  eventStreams: { perToken: MANY + OVER_SOCKET },
  speed: { batchStatements: true, keyCacheMs: 500 },
});

async function open(authorization: string, by?: object, url = graphql().service.url): Promise<EventStream> {
  const stream = await openGroupStream(url, authorization, WATCH, { by });
  onTestFinished(() => stream.close());
  return stream;
}

async function rename(user_group_id: string, name: string): Promise<void> {
  expect(await graphql().rest("PUT", { user_group_id, name })).toMatchObject({ status: 200 });
}

const refusal = (message: string) => ({
  status: 429,
  headers: { "retry-after": "30" },
  body: { errors: [{ message: expect.stringContaining(message), extensions: { code: "RATE_LIMITED" } }] },
});

test("a change takes one statement, and one execution and mapping for each kind of credential, for 500 subscribers", async () => {
  const { service, keys } = graphql();
  const group = { mapping: [entry("a", "sales")] };
  const { token } = await createUserGroup(graphql(), "shared", group);
  const by = { providedId: "shared" };
  const streams = await Promise.all(
    Array.from({ length: MANY }, (_, index) =>
      index % 3 === 0
        ? open(`Bearer ${token}`)
        : open(`Token ${index % 3 === 1 ? keys.admin : keys.read}`, by),
    ),
  );
  const socket = await connectSocket(service.url, `Bearer ${token}`);
  for (let index = 0; index < OVER_SOCKET; index += 1) await subscribeToGroup(socket, String(index), WATCH);
  await rename("shared", "first");
  const event = (name: string) => ({
    data: {
      userGroupChanged: {
        kind: "UPDATED",
        userGroup: { name, mapping: [{ dataSource: { providedId: "sales" } }] },
      },
    },
  });
  const expectEvents = async (name: string) => {
    expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual(streams.map(() => event(name)));
    for (let count = 0; count < OVER_SOCKET; count += 1)
      expect(await socket.next()).toMatchObject({ type: "next", payload: event(name) });
  };
  // Each execution loads the mapping by a call of its own.
  const executions = async () => {
    const { values } = await service.services.telemetry.metrics.batches.get();
    return values.find(
      ({ metricName, labels }) => metricName?.endsWith("_sum") && labels.loader === "mappings",
    )?.value;
  };
  await expectEvents("first");
  service.statements.length = 0;
  const before = await executions();
  await rename("shared", "second");
  await expectEvents("second");
  const { statements } = service;
  // The group's token, and two scopes of API keys.
  expect(await executions()).toBe((before ?? 0) + 3);
  expect(statements.filter((text) => text.includes("LEFT JOIN user_group"))).toHaveLength(1);
  expect(statements.filter((text) => text.includes("mapping_entry")).length).toBeLessThanOrEqual(3);
});

test("fields that a scope cannot read are not shared with it", async () => {
  const { service, keys } = graphql();
  await createUserGroup(graphql(), "scoped");
  const query = `subscription { userGroupChanged(by: { providedId: "scoped" }) { userGroup { token } } }`;
  const streams = await Promise.all(
    [keys.admin, keys.read, keys.admin].map((key) => openGroupStream(service.url, `Token ${key}`, query)),
  );
  await rename("scoped", "new");
  const [admin, read, other] = await Promise.all(streams.map((stream) => stream.next()));
  const token = (value: unknown) => ({ data: { userGroupChanged: { userGroup: { token: value } } } });
  expect(admin).toEqual(token(expect.stringMatching(/^ugt_/)));
  expect(other).toEqual(admin);
  expect(read).toEqual(token(null));
  for (const stream of streams) stream.close();
});

test("a document that is too long to cache is rejected", async () => {
  const { service, keys } = graphql();
  const query = `${WATCH}${" ".repeat(20_000)}`;
  expect(await openEventStream(service.url, `Token ${keys.admin}`, query)).toMatchObject({
    status: 413,
    body: { errors: [{ extensions: { code: "PAYLOAD_TOO_LARGE", limit: 16_384 } }] },
  });
});

describe("the number of streams", () => {
  const limited = useGraphql({
    eventStreams: { perToken: 2, perKey: 3, perAddress: 4, perProcess: 5 },
    trustedProxies: ["127.0.0.1", "10.0.0.0/8"],
  });
  const refused = (reason: string) =>
    metricValue(limited().service.services.telemetry.metrics.streamRefusals, { reason });

  test("is limited per token, API key, address and process, counting open streams", async () => {
    const { service, keys } = limited();
    const { eventStreams } = service.services;
    const { token } = await createUserGroup(limited(), "limited");
    const replies: Response[] = [];
    const openFrom = async (address: string, authorization: string) => {
      const headers = {
        authorization,
        accept: "text/event-stream",
        "content-type": "application/json",
        ...(address === "" ? {} : { "x-forwarded-for": address }),
      };
      const query = `subscription { userGroupChanged(by: { providedId: "limited" }) { kind } }`;
      const body = JSON.stringify({
        query: authorization.startsWith("Bearer") ? "subscription { userGroupChanged { kind } }" : query,
      });
      const abort = new AbortController();
      const reply = await fetch(`${service.url}/graphql`, {
        method: "POST",
        headers,
        body,
        signal: abort.signal,
      });
      onTestFinished(() => abort.abort());
      // A reply without a reader is cancelled.
      replies.push(reply);
      if (reply.ok) return { status: reply.status, close: () => abort.abort() };
      return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.json() };
    };
    const front = `Bearer ${token}`;
    const admin = `Token ${keys.admin}`;
    const first = await openFrom("192.0.2.1", front);
    await openFrom("192.0.2.1", front);
    expect(await openFrom("192.0.2.1", front)).toMatchObject(
      refusal("This user group token has reached the limit of 2 open event streams"),
    );
    expect(await refused("token")).toBe(1);
    await openFrom("192.0.2.1", admin);
    await openFrom("192.0.2.1", admin);
    expect(await openFrom("192.0.2.1", admin)).toMatchObject(
      refusal("This client address has reached the limit of 4 open event streams"),
    );
    expect(await refused("address")).toBe(1);
    // The proxy's own address is not a client's.
    expect(await openFrom("", admin)).toMatchObject({ status: 200 });
    expect(await openFrom("", admin)).toMatchObject(
      refusal("This API key has reached the limit of 3 open event streams"),
    );
    expect(await refused("api_key")).toBe(1);
    expect(await openFrom("10.1.2.3", `Token ${keys.read}`)).toMatchObject(
      refusal("The service has reached the limit of 5 open event streams"),
    );
    expect(await refused("process")).toBe(1);
    expect(eventStreams.open).toBe(5);
    first.close?.();
    await expect.poll(() => eventStreams.open).toBe(4);
    // A forwarded value need not be an address.
    expect(await openFrom("unknown", front)).toMatchObject({ status: 200 });
    expect(replies.filter(({ ok }) => ok)).toHaveLength(6);
  });

  test("pipelined streams of one connection run one after the other", async () => {
    const { service, keys } = limited();
    const { eventStreams } = service.services;
    await expect.poll(() => eventStreams.open).toBe(0);
    const query = `subscription { userGroupChanged(by: { providedId: "limited" }) { kind } }`;
    const reader = await openSlowReader(service.url, `Token ${keys.admin}`, query, 10);
    await expect.poll(() => eventStreams.open).toBe(1);
    await setTimeout(200);
    expect(eventStreams.open).toBe(1);
    reader.close();
    await expect.poll(() => eventStreams.open).toBe(0);
  });
});
