import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { openSlowReader, type SlowReader } from "../../support/graphql/slow-reader.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";

const TEXT = "x".repeat(60_000);
/** Large enough that a few events fill the system's buffers. */
const LARGE = `subscription { userGroupChanged {
  userGroup { name ${Array.from({ length: 10 }, (_, index) => `p${index}: properties`).join(" ")} }
} }`;

const small = useGraphql({ eventStreams: { unreadBytes: 700_000, totalUnreadBytes: 1_000_000 } });
const cutOffs = async (reason: string) =>
  (await metricValue(small().service.services.telemetry.metrics.streamCutOffs, { reason })) ?? 0;

async function rename(user_group_id: string, name: string): Promise<void> {
  const { service, keys } = small();
  const body = { user_group_id, name };
  expect(await callRest(`${service.url}/api/user`, "PUT", keys.admin, body)).toMatchObject({ status: 200 });
}

async function readSlowly(providedId: string): Promise<SlowReader> {
  const properties = { text: TEXT };
  const { token } = await createUserGroup(small(), providedId, { properties });
  const { open: before } = small().service.services.eventStreams;
  const reader = await openSlowReader(small().service.url, `Bearer ${token}`, LARGE);
  onTestFinished(() => reader.close());
  await expect.poll(() => small().service.services.eventStreams.open).toBe(before + 1);
  return reader;
}

/** Changes a group until a stream is closed for this reason. */
async function changeUntilCutOff(reason: string, ...providedIds: readonly string[]): Promise<void> {
  const before = await cutOffs(reason);
  for (let round = 0; round < 200 && (await cutOffs(reason)) === before; round += 1) {
    for (const providedId of providedIds) await rename(providedId, `n${round}`);
  }
  expect(await cutOffs(reason)).toBeGreaterThan(before);
}

test("unread data is limited: the stream ends with an event that says so", async () => {
  const reader = await readSlowly("slow");
  await changeUntilCutOff("slow_consumer", "slow");
  const text = await reader.readToEnd();
  const events = text.split("event: ");
  expect(events.at(-1)).toMatch(/^complete\ndata:\n\n/);
  expect(events.at(-2)).toContain('"code":"SLOW_CONSUMER"');
  expect(events.at(-2)).toContain("More than 700000 bytes of this event stream were not read.");
});

test("unread data is dropped with the connection if the client does not read that event either", async () => {
  const reader = await readSlowly("deaf");
  await changeUntilCutOff("slow_consumer", "deaf");
  const { eventStreams } = small().service.services;
  await expect.poll(() => eventStreams.open).toBe(0);
  expect(await reader.readToEnd()).not.toContain("SLOW_CONSUMER");
});

test("unread data is dropped when the credentials expire or are revoked", async () => {
  const { service, keys } = small();
  const sockets: Socket[] = [];
  service.server.server.on("connection", (socket: Socket) => sockets.push(socket));
  const reader = await readSlowly("unread");
  const socket = sockets.find(({ remotePort }) => remotePort === reader.socket.localPort);
  if (!socket) throw new Error("The connection of the reader is not there.");
  /** Whether an event remains unread: the system may enlarge its buffers and accept it. */
  const isUnread = async () => {
    for (let attempt = 0; attempt < 20 && socket.writableLength > 0; attempt += 1) await sleep(10);
    return socket.writableLength > 0;
  };
  for (let round = 0; round < 200 && !(await isUnread()); round += 1) {
    const { bytesWritten } = socket;
    await rename("unread", `n${round}`);
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(bytesWritten);
  }
  expect(await isUnread()).toBe(true);
  const { body } = await callRest(`${service.url}/api/user`, "GET", keys.admin, {
    user_group_id: "unread",
  });
  const { token: current_token } = Object(body).user_group;
  const write = vi.spyOn(socket, "write");
  await callRest(`${service.url}/api/user`, "POST", keys.admin, { current_token });
  await expect.poll(() => service.services.eventStreams.open).toBe(0);
  // Other subscribers get the reason why their stream ends.
  expect(write).not.toHaveBeenCalled();
  const text = await reader.readToEnd();
  expect(text).not.toContain("UNAUTHENTICATED");
  expect(text).not.toContain("event: complete");
});

test("unread data is limited for all streams together: the one with the most is closed", async () => {
  await readSlowly("one");
  await readSlowly("two");
  await changeUntilCutOff("process_memory", "one", "two");
});

test("a single event must not exceed the limit of unread data", async () => {
  const { service } = small();
  const properties = { text: TEXT };
  const { token } = await createUserGroup(small(), "large", { properties });
  const aliases = Array.from({ length: 20 }, (_, index) => `p${index}: properties`).join(" ");
  const stream = await openEventStream(
    service.url,
    `Bearer ${token}`,
    `subscription { userGroupChanged { userGroup { ${aliases} } } }`,
  );
  await rename("large", "new");
  expect(await stream.next()).toMatchObject({
    data: null,
    errors: [
      {
        message: expect.stringMatching(
          /^An event of this subscription has \d+ bytes; at most 700000 are allowed/,
        ),
        extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 700_000, actual: expect.any(Number) },
      },
    ],
  });
  expect(await stream.next()).toBeUndefined();
  expect(await cutOffs("event_too_large")).toBe(1);
});
