import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

/** More than Node.js lets wait by default, and fewer than a client address may have. */
const CONNECTIONS = 1_000;
const SYSTEM_LIMIT = "/proc/sys/net/core/somaxconn";
const allowed = process.platform === "linux" ? Number(readFileSync(SYSTEM_LIMIT, "utf8")) : 0;

// Without a place in the queue, a connection and what it sends wait for the system's retries: up to a minute after a few of them.
test.skipIf(allowed < CONNECTIONS)(
  "connections that arrive while the process does not run are all established and served",
  async () => {
    const service = await processes.serve({ env: { DATA_DIR: await processes.newPreparedDataDir() } });
    const { hostname, port } = new URL(service.url);
    service.kill("SIGSTOP");
    let [connected, served] = [0, 0];
    const open = (): Socket => {
      const socket = connect(Number(port), hostname, () => {
        connected += 1;
      });
      socket.once("data", (data) => {
        if (String(data).startsWith("HTTP/1.1 200 ")) served += 1;
      });
      socket.on("error", () => undefined).write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return socket;
    };
    const sockets = Array.from({ length: CONNECTIONS }, open);
    await expect.poll(() => connected).toBe(CONNECTIONS);
    service.kill("SIGCONT");
    await expect.poll(() => served).toBe(CONNECTIONS);
    for (const socket of sockets) socket.destroy();
  },
);
