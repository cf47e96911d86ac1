import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A server that answers HTTP in a process of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly url: string;
  /** The file of what it writes to standard error. */
  readonly log: string;
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly node: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Where what it writes to standard error goes. */
  readonly log: string;
}

const STARTING_MS = 60_000;
const ENDING_MS = 10_000;
const POLL_MS = 20;
/** A server ends with us, however we end. */
const FUSE = `data:text/javascript,process.stdin.on("end",()=>process.exit()).resume().unref()`;

/** Starts a server and waits until it tells its address. @throws Error with what it wrote when it does not */
export async function startServer({
  node,
  script,
  args,
  settings,
  log,
}: ServerProgram): Promise<ServerProcess> {
  const child = spawn(node, ["--import", FUSE, script, ...args], {
    env: { NODE_ENV: "production", GRAPHILE_ENV: "production", ...settings },
    stdio: ["pipe", "pipe", openSync(log, "w")],
  });
  // A program that is not there has no exit code.
  let fault = "";
  child.on("error", ({ message }) => {
    fault = message;
  });
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const deadline = Date.now() + STARTING_MS;
  while (child.exitCode === null && fault === "" && Date.now() < deadline) {
    const [url] = /http:\/\/\S+(?=[\s\S]*\n)/.exec(said) ?? [];
    if (url !== undefined && child.pid !== undefined)
      return { pid: child.pid, url, log, stop: () => stop(child) };
    await sleep(POLL_MS);
  }
  if (fault === "") await stop(child);
  throw new Error(`${script} did not start: ${fault}${said}${readFileSync(log, "utf8")}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), ENDING_MS);
  await ended;
  clearTimeout(patience);
}
