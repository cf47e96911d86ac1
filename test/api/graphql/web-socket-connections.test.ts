import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { connectSocket, subscribe, watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService } from "../../support/service/test-service.js";

const WATCH = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind } }";
const DOCUMENT = "{ viewer { environment } }";

describe("connections", () => {
  const graphql = useGraphql();

  test("other upgrades are served as plain requests", async () => {
    const { service, keys } = graphql();
    const send = async (head: string, body: string) => {
      const socket = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(
        `${head}\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nAuthorization: Token ${keys.admin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      const [chunk] = await once(socket, "data");
      return String(chunk);
    };
    expect(await send("POST /graphql HTTP/1.1", JSON.stringify({ query: DOCUMENT }))).toMatch(
      /^HTTP\/1.1 200 /,
    );
    expect(
      await send("GET /api/user HTTP/1.1", JSON.stringify({ user_group_id: "h2c", name: "h2c" })),
    ).toMatch(/^HTTP\/1.1 200 /);
  });

  test("a WebSocket request elsewhere is a plain request, and a pipelined one is closed", async () => {
    const { service } = graphql();
    const upgrade = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`;
    const exchange = async (text: string) => {
      const socket = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(text);
      const [chunk] = await once(socket, "data");
      return { socket, text: String(chunk) };
    };
    expect((await exchange(upgrade("/livez"))).text).toMatch(/^HTTP\/1.1 200 /);
    expect((await exchange(upgrade("/graphql"))).text).toMatch(/^HTTP\/1.1 101 /);
    const withBody = upgrade("/graphql").replace("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\n{}");
    expect((await exchange(withBody)).text).toMatch(/^HTTP\/1.1 400 /);
    const pipelined = connectTcp(Number(new URL(service.url).port), "127.0.0.1");
    pipelined.on("error", () => undefined);
    pipelined.write(`GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n${upgrade("/graphql")}`);
    pipelined.resume();
    await once(pipelined, "close");
  });

  test("a plain GET explains itself", async () => {
    const { service, keys } = graphql();
    const reply = await fetch(`${service.url}/graphql`, {
      headers: { authorization: `Token ${keys.admin}` },
    });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ errors: [{ message: expect.stringContaining("query") }] });
  });

  test("at shutdown, subscriptions end and WebSockets are closed", async () => {
    const service = await startTestService();
    const account = await service.createAccount();
    const { secret } = await account.createKey();
    await callRest(`${service.url}/api/user`, "GET", secret, { user_group_id: "last", name: "last" });
    const started = watchStarts(service);
    const [idle, busy] = [
      await connectSocket(service.url, `Token ${secret}`),
      await connectSocket(service.url, `Token ${secret}`),
    ];
    busy.send(subscribe("1", WATCH, { by: { providedId: "last" } }));
    await started(1);
    await service.server.close();
    expect(await idle.closed()).toEqual({ code: 1001, reason: "The service is shutting down." });
    expect(await busy.next()).toMatchObject({
      type: "next",
      payload: { errors: [{ extensions: { code: "UNAVAILABLE" } }] },
    });
    expect(await busy.next()).toEqual({ id: "1", type: "complete" });
    expect(await busy.closed()).toMatchObject({ code: 1001 });
    expect(service.log.join("")).not.toContain("connections were closed at shutdown");
    await expect.poll(() => service.log.filter((line) => line.includes('"closeCode":1001'))).toHaveLength(2);
    await service.close();
  });
});
