import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openEventStream } from "../../support/graphql/event-stream-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { openSlowReader } from "../../support/graphql/slow-reader.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";

const properties = { text: "x".repeat(60_000) };
const selection = (aliases: number) =>
  `subscription { userGroupChanged { userGroup { name ${Array.from({ length: aliases }, (_, index) => `p${index}: properties`).join(" ")} } } }`;
/** Large enough that a few events fill the system's buffers. */
const LARGE = selection(10);
const EVENT_BYTES = 10 * 60_100;

const graphql = useGraphql();

async function rename(user_group_id: string, name: string): Promise<void> {
  expect(await graphql().rest("PUT", { user_group_id, name })).toMatchObject({ status: 200 });
}

/** Opens a stream that is not read, and renames its group until the service waits for the client. */
async function stallReader(providedId: string) {
  const { service } = graphql();
  const sockets: Socket[] = [];
  service.server.server.on("connection", (socket: Socket) => sockets.push(socket));
  const { token } = await createUserGroup(graphql(), providedId, { properties });
  const { open: before } = service.services.eventStreams;
  const reader = await openSlowReader(service.url, `Bearer ${token}`, LARGE);
  onTestFinished(() => reader.close());
  await expect.poll(() => service.services.eventStreams.open).toBe(before + 1);
  const socket = sockets.find(({ remotePort }) => remotePort === reader.socket.localPort);
  if (!socket) throw new Error("The connection of the reader is not there.");
  /** Whether an event remains unread: the system may enlarge its buffers and accept it. */
  const isUnread = async () => {
    for (let attempt = 0; attempt < 20 && socket.writableLength > 0; attempt += 1) await sleep(10);
    return socket.writableLength > 0;
  };
  let renames = 0;
  for (; renames < 200 && !(await isUnread()); renames += 1) {
    const { bytesWritten } = socket;
    await rename(providedId, `n${renames}`);
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(bytesWritten);
  }
  expect(await isUnread()).toBe(true);
  return { reader, socket, token, renames };
}

test("a client that does not read gets the latest state later; until then the process holds one event", async () => {
  const { reader, socket, token, renames } = await stallReader("slow");
  for (let round = 0; round < 20; round += 1) await rename("slow", `later ${round}`);
  expect(socket.writableLength).toBeLessThan(2 * EVENT_BYTES);
  const { service, keys } = graphql();
  const reading = reader.readToEnd();
  await expect.poll(() => socket.writableLength).toBe(0);
  const body = { current_token: token, user_group_id: "slow", name: "later 19" };
  expect(await callRest(`${service.url}/api/user`, "DELETE", keys.admin, body)).toMatchObject({
    status: 200,
  });
  const text = await reading;
  const names = [...text.matchAll(/"userGroup":\{"name":"([^"]+)"/g)].map(([, name]) => name);
  expect(names.length).toBeLessThan(renames + 20);
  expect(names.at(-1)).toBe("later 19");
});

test("a client that has not read its last event gets none after its credentials are revoked", async () => {
  const { reader, token } = await stallReader("unread");
  const { service, keys } = graphql();
  const rotation = { current_token: token };
  expect(await callRest(`${service.url}/api/user`, "POST", keys.admin, rotation)).toMatchObject({
    status: 200,
  });
  await rename("unread", "secret");
  const text = await reader.readToEnd();
  expect(text).not.toContain("secret");
  expect(text).not.toContain("event: complete");
});

test("a single event must not exceed the limit", async () => {
  const { service } = graphql();
  const { token } = await createUserGroup(graphql(), "large", { properties });
  const stream = await openEventStream(service.url, `Bearer ${token}`, selection(20));
  expect(await stream.next()).toMatchObject({
    data: null,
    errors: [
      {
        message: expect.stringMatching(
          /^An event of this subscription has \d+ bytes; at most 1048576 are allowed/,
        ),
        extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 1_048_576, actual: expect.any(Number) },
      },
    ],
  });
  expect(await stream.next()).toBeUndefined();
  const { streamCutOffs } = service.services.telemetry.metrics;
  expect(await metricValue(streamCutOffs, { reason: "event_too_large" })).toBe(1);
});
