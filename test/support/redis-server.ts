import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const NO_REDIS = "redis-server is not installed: what needs it is skipped";

/** Whether a Redis can be started on this machine. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis) process.stderr.write(`${NO_REDIS}\n`);

/** A Redis of a test's own, on a port of its own, which keeps nothing when it ends. */
export interface TestRedis {
  readonly url: string;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, empty, at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const STARTING_MS = 10_000;
// The server ends with whoever holds the shell's input, however that ends.
const GUARD = `redis-server "$@" >/dev/null & echo "$!"; cat >/dev/null; kill -9 "$!"; wait`;

/** @param more further options of the server */
export async function startRedis(more: readonly string[] = []): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), "ug-redis-"));
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", directory, ...more];
  let server = await launch(port, options);
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => void process.kill(server.pid, name),
    kill: () => server.end(),
    async restart() {
      server = await launch(port, options);
    },
    async close() {
      await server.end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, options: readonly string[]) {
  const guard = spawn("sh", ["-c", GUARD, "sh", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const [told] = await once(guard.stdout, "data");
  const deadline = Date.now() + STARTING_MS;
  while (!(await answers(port))) {
    if (Date.now() > deadline) throw new Error("Redis does not start.");
    await sleep(10);
  }
  return {
    pid: Number(String(told)),
    async end() {
      if (guard.exitCode !== null) return;
      guard.stdin.end();
      await once(guard, "close");
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  return address.port;
}
