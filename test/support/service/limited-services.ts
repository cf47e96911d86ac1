import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, expect, onTestFinished } from "vitest";
import type { ConnectionLimits } from "../../../src/http/server/connections.js";
import { startTestService, type TestService, type TestServiceOptions } from "./test-service.js";

export const LIVEZ = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

/** Services with limits of their own on one database, and connections to them, until the test ends. */
export function useLimitedServices() {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  let base: TestService;
  beforeAll(async () => {
    base = await startTestService();
    return () => base.close();
  });

  async function start(connectionLimits: Partial<ConnectionLimits>, options: TestServiceOptions = {}) {
    const { target, owner } = base;
    const service = await startTestService({ use: { target, owner }, connectionLimits, ...options });
    onTestFinished(() => service.close());
    return service;
  }

  async function open({ url }: TestService): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  }

  /** A connection that has been served. */
  async function openServed(service: TestService): Promise<Socket> {
    const socket = await open(service);
    socket.write(LIVEZ);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    return socket;
  }

  return { start, open, openServed };
}
