import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe, watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";

describe("unread data", () => {
  const graphql = useGraphql({ eventStreams: { unreadBytes: 700_000, totalUnreadBytes: 1_000_000 } });
  const cutOffs = async (reason: string) =>
    (await metricValue(graphql().service.services.telemetry.metrics.streamCutOffs, { reason })) ?? 0;
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}: properties`).join(" ");

  async function rename(user_group_id: string, name: string): Promise<void> {
    const { service, keys } = graphql();
    await callRest(`${service.url}/api/user`, "PUT", keys.admin, { user_group_id, name });
  }

  test("closes the WebSocket of a client that does not read", async () => {
    const { service } = graphql();
    const properties = { text: "x".repeat(60_000) };
    const { token } = await createUserGroup(graphql(), "slow", { properties });
    const started = watchStarts(service);
    const client = await connectSocket(service.url, `Bearer ${token}`);
    client.send(subscribe("1", `subscription { userGroupChanged { userGroup { name ${aliases(10)} } } }`));
    await started(1);
    client.socket.pause();
    for (let round = 0; round < 200 && (await cutOffs("slow_consumer")) === 0; round += 1) {
      await rename("slow", `n${round}`);
    }
    expect(await cutOffs("slow_consumer")).toBeGreaterThan(0);
    await expect.poll(() => service.services.webSockets.open).toBe(0);
    expect(service.services.eventStreams.open).toBe(0);
    client.socket.resume();
    expect([1006, 1013]).toContain((await client.closed()).code);
  });

  test("of pongs closes the WebSocket, too", async () => {
    const { service, keys } = graphql();
    const before = await cutOffs("slow_consumer");
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    client.socket.pause();
    const payload = { text: "x".repeat(30_000) };
    for (let count = 0; count < 2000 && (await cutOffs("slow_consumer")) === before; count += 1) {
      if (client.socket.readyState === client.socket.OPEN) client.send({ type: "ping", payload });
      if (count % 20 === 0) await new Promise(setImmediate);
    }
    await expect.poll(() => cutOffs("slow_consumer")).toBeGreaterThan(before);
    await expect.poll(() => service.services.webSockets.open).toBe(0);
  });

  test("must have room for a reply, and for an event", async () => {
    const { service, keys } = graphql();
    const properties = { text: "x".repeat(60_000) };
    await createUserGroup(graphql(), "large", { properties });
    const started = watchStarts(service);
    const client = await connectSocket(service.url, `Token ${keys.admin}`);
    const by = `by: { providedId: "large" }`;
    client.send(subscribe("1", `{ userGroup(${by}) { ${aliases(20)} } }`));
    expect(await client.next()).toMatchObject({
      type: "error",
      payload: [
        {
          message: expect.stringContaining("more than 699936 bytes"),
          extensions: { code: "QUERY_TOO_EXPENSIVE" },
        },
      ],
    });
    client.send(subscribe("2", `subscription { userGroupChanged(${by}) { userGroup { ${aliases(20)} } } }`));
    await started(1);
    await rename("large", "new");
    expect(await client.next()).toMatchObject({
      type: "next",
      payload: { data: null, errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 700_000 } }] },
    });
    expect(await client.next()).toEqual({ id: "2", type: "complete" });
  });
});
