import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";
import { startGuarded } from "./guarded-program.js";

export const NO_REDIS = "redis-server is not installed";

export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

/** A Redis on its own port, without persistence. */
export interface TestRedis {
  readonly url: string;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** @param more further options of the server */
export async function startRedis(more: readonly string[] = []): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), "ug-redis-"));
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory, ...more];
  let server = await startGuarded("redis-server", options, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => void process.kill(server.pid, name),
    kill: () => server.end(),
    async restart() {
      server = await startGuarded("redis-server", options, port);
    },
    async close() {
      await server.end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
