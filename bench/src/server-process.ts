import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Variant } from "./compare/options.js";
import type { BenchDatabase } from "./postgres.js";
import { peakMemoryMbOf } from "./process-usage.js";

/** An HTTP server process. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  /** The file with its standard error. */
  readonly log: string;
  /** @returns the exit code; null when it was terminated by a signal */
  stop(): Promise<number | null>;
}

interface ServerProgram {
  readonly name: string;
  readonly directory: string;
  /** Arguments for Node.js, beginning with the script. */
  readonly args: readonly string[];
  readonly node?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const BUILT = new URL("../../../../dist/src/", import.meta.url);
const STARTING_MS = 60_000;
const ENDING_MS = 10_000;
const POLL_MS = 20;
/** Ends a server when this process ends for any reason. */
const FUSE = `data:text/javascript,process.stdin.on("end",()=>process.exit()).resume().unref()`;

/** Starts our service with its default settings, except for those given. */
export function startService(
  { settings, nodeOptions = [], directory: source, ...variant }: Variant,
  directory: string,
  database: BenchDatabase,
): Promise<ServerProcess> {
  const defaults = { PORT: "0", DATABASE_URL: database.runtimeUrl, DATA_DIR: join(directory, variant.name) };
  return startServer({
    ...variant,
    directory,
    args: [...nodeOptions, source === undefined ? builtPath("main.js") : join(source, "dist/src/main.js")],
    settings: { ...defaults, ...settings },
  });
}

/** Starts a server and waits until it prints its URL. @throws Error with its output when it does not */
export async function startServer(program: ServerProgram): Promise<ServerProcess> {
  const { name, directory, args, node = process.execPath, settings = {} } = program;
  const log = join(directory, `${name}.log`);
  const child = spawn(node, ["--import", FUSE, ...args], {
    env: { NODE_ENV: "production", GRAPHILE_ENV: "production", ...settings },
    stdio: ["pipe", "pipe", openSync(log, "w")],
  });
  // A program that cannot be spawned has no exit code.
  let fault = "";
  child.on("error", ({ message }) => {
    fault = message;
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const deadline = Date.now() + STARTING_MS;
  while (child.exitCode === null && fault === "" && Date.now() < deadline) {
    const [url] = /http:\/\/\S+(?=[\s\S]*\n)/.exec(output) ?? [];
    if (url !== undefined && child.pid !== undefined)
      return { name, pid: child.pid, url, log, stop: () => stop(child) };
    await sleep(POLL_MS);
  }
  if (fault === "") await stop(child);
  throw new Error(`${name} did not start: ${fault}${output}${readFileSync(log, "utf8")}`);
}

/** Runs a CLI command to its end. */
export async function runCommand(settings: Readonly<Record<string, string>>, args: readonly string[]) {
  const start = performance.now();
  const child = spawn(process.execPath, [builtPath("cli.js"), ...args], {
    env: { ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text.slice(0, 1000);
  });
  let peakMb = 0;
  const timer = setInterval(async () => {
    // An exiting process has no memory status.
    peakMb = Math.max(peakMb, await peakMemoryMbOf(child.pid ?? 0).catch(() => 0));
  }, 100);
  await once(child, "close");
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`${args.join(" ")} exited with code ${child.exitCode}.`);
  return { output: output.trim(), seconds: (performance.now() - start) / 1000, peakMb };
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), ENDING_MS);
  await ended;
  clearTimeout(timer);
  return child.exitCode;
}

function builtPath(script: string): string {
  return fileURLToPath(new URL(script, BUILT));
}
