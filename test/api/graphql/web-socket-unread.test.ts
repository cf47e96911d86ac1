import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe, watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";

const PINGS = 2_000;
const PING_BYTES = 30_000;
/** The most pongs that the process holds. */
const MAX_MESSAGES = 200;

describe("unread data", () => {
  const graphql = useGraphql();
  const properties = { text: "x".repeat(60_000) };
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}: properties`).join(" ");

  async function rename(user_group_id: string, name: string): Promise<void> {
    const { service, keys } = graphql();
    const body = { user_group_id, name };
    expect(await callRest(`${service.url}/api/user`, "PUT", keys.admin, body)).toMatchObject({ status: 200 });
  }

  /** Connects a client, with the service's end of its connection. */
  async function connect(authorization: string) {
    const { service } = graphql();
    const sockets: Socket[] = [];
    service.server.server.on("connection", (socket: Socket) => sockets.push(socket));
    const client = await connectSocket(service.url, authorization);
    const [socket] = sockets;
    if (!socket) throw new Error("The connection of the client is not there.");
    return { client, socket };
  }

  test("of a subscription is one event; a client that reads later gets the latest state", async () => {
    const { token } = await createUserGroup(graphql(), "slow", { properties });
    const started = watchStarts(graphql().service);
    const { client, socket } = await connect(`Bearer ${token}`);
    client.send(subscribe("1", `subscription { userGroupChanged { userGroup { name ${aliases(10)} } } }`));
    await started(1);
    client.socket.pause();
    for (let round = 0; round < 60; round += 1) await rename("slow", `n${round}`);
    expect(socket.writableLength).toBeLessThan(2 * 10 * 60_100);
    client.socket.resume();
    const names: string[] = [];
    while (names.at(-1) !== "n59") {
      const { payload } = Object(await client.next());
      names.push(payload.data.userGroupChanged.userGroup.name);
    }
    expect(names.length).toBeLessThan(60);
  });

  test("of pongs is limited: the service reads no further pings before they are read", async () => {
    const { client, socket } = await connect(`Token ${graphql().keys.admin}`);
    client.socket.pause();
    const payload = { text: "x".repeat(PING_BYTES) };
    for (let count = 0; count < PINGS; count += 1) {
      client.send({ type: "ping", payload });
      if (count % 20 === 0) await new Promise(setImmediate);
    }
    // The kernel's buffers are full, too.
    await expect.poll(() => socket.isPaused()).toBe(true);
    expect(socket.writableLength).toBeLessThan((MAX_MESSAGES + 10) * (PING_BYTES + 100));
    client.socket.resume();
    for (let count = 0; count < PINGS; count += 1)
      expect(await client.next()).toMatchObject({ type: "pong" });
  });

  test("must have room for a reply, and for an event", async () => {
    const { service, keys } = graphql();
    await createUserGroup(graphql(), "large", { properties });
    const started = watchStarts(service);
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    const by = `by: { providedId: "large" }`;
    client.send(subscribe("1", `{ userGroup(${by}) { ${aliases(20)} } }`));
    expect(await client.next()).toMatchObject({
      type: "error",
      payload: [
        {
          message: expect.stringContaining("more than 1048576 bytes"),
          extensions: { code: "QUERY_TOO_EXPENSIVE" },
        },
      ],
    });
    client.send(subscribe("2", `subscription { userGroupChanged(${by}) { userGroup { ${aliases(20)} } } }`));
    await started(1);
    await rename("large", "new");
    expect(await client.next()).toMatchObject({
      type: "next",
      payload: { data: null, errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 1_048_576 } }] },
    });
    expect(await client.next()).toEqual({ id: "2", type: "complete" });
  });
});
