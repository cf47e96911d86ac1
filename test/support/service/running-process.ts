import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import { preparedDataDirectory } from "../postgres/prepared-data-directory.js";
import { recordEnvironment, recordOutput, searchDataDirectory } from "../secrets/process-record.js";
import { compileService } from "./compiled-service.js";
import { endProcessesIn } from "./data-directory.js";

export interface ProcessOptions {
  /** In addition to PATH and PORT=0. */
  readonly env?: Readonly<Record<string, string>>;
  /** The account to run as, instead of ours. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** Standard input; empty by default. */
  readonly input?: string;
  /** Maximum lifetime, even if the test's process is killed; fifteen minutes by default. */
  readonly lifetimeMs?: number;
}

/** How a process ended, and its output. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** A service that has reported its URL. */
export interface RunningService extends RunningProcess {
  readonly url: string;
  readonly startUpText: string;
}

/** The processes and DATA_DIRs of a test file, which end with it. */
export interface TestProcesses {
  /** A path for a DATA_DIR: does not exist yet, or is a copy of another one that is not in use. */
  newDataDir(copyOf?: string): Promise<string>;
  /** A DATA_DIR after initdb: for the service, still a first start. */
  newPreparedDataDir(): Promise<string>;
  /** Starts a CLI command, or the service without one. */
  launch(args: readonly string[], options?: ProcessOptions): Promise<RunningProcess>;
  /** Runs a CLI command to its end. */
  run(args: readonly string[], options?: ProcessOptions): Promise<ProcessEnd>;
  /** Starts the service and waits until it is available. @throws Error with its output when it exits instead */
  serve(options?: ProcessOptions): Promise<RunningService>;
  /**
   * Kills running processes, including the PostgreSQL of every DATA_DIR, and removes the directories.
   * @throws Error when a file other than the secrets file contains a secret
   */
  close(): Promise<void>;
}

/** Much longer than a start takes: only prevents a test from hanging. */
const startingMs = 240_000;
/** The default maximum lifetime of a process. */
const LIFETIME_MS = 900_000;

export function createTestProcesses(): TestProcesses {
  const running = new Set<RunningProcess>();
  const directories: string[] = [];

  async function launch(args: readonly string[], options: ProcessOptions = {}): Promise<RunningProcess> {
    const script = join(await compileService(), "src", args.length === 0 ? "main.js" : "cli.js");
    const fuse = exitAfter(options.lifetimeMs ?? LIFETIME_MS);
    const child = spawn(process.execPath, ["--import", fuse, script, ...args], {
      cwd: "/",
      // Tests stop hundreds of processes, which no load balancer uses.
      env: { PATH: process.env["PATH"], PORT: "0", SHUTDOWN_DELAY_MS: "0", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      ...options.account,
    });
    // The process may end before it has read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    recordEnvironment(options.env ?? {});
    const started = follow(child);
    void started.ended.then((end) => recordOutput(args, end));
    running.add(started);
    void started.ended.finally(() => running.delete(started));
    return started;
  }

  async function newDataDir(copyOf?: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "ug-process-"));
    directories.push(directory);
    const dataDir = join(directory, "data");
    // Node's copy would not preserve owners.
    if (copyOf !== undefined) await promisify(execFile)("cp", ["-Rp", copyOf, dataDir]);
    return dataDir;
  }

  return {
    newDataDir,
    newPreparedDataDir: async () => newDataDir(await preparedDataDirectory()),
    launch,
    run: async (args, options) => (await launch(args, options)).ended,
    async serve(options) {
      return waitForStart(await launch([], options));
    },
    async close() {
      for (const each of running) each.kill("SIGKILL");
      await Promise.all([...running].map((each) => each.ended));
      for (const directory of directories) {
        await endProcessesIn(directory);
        await searchDataDirectory(directory).finally(() =>
          rm(directory, { recursive: true, force: true, maxRetries: 5 }),
        );
      }
    },
  };
}

/** Waits until a service is available. @throws Error with its output when it exits instead */
export async function waitForStart(started: RunningProcess): Promise<RunningService> {
  let hasEnded = false;
  void started.ended.then(() => {
    hasEnded = true;
  });
  const deadline = Date.now() + startingMs;
  while (!hasEnded && Date.now() < deadline) {
    const [, url] = /listening on (http:\S+) [\s\S]*\n$/.exec(started.stdout()) ?? [];
    if (url !== undefined) return { ...started, url, startUpText: started.stdout() };
    await sleep(10);
  }
  throw new Error(`The service did not start: ${started.stdout()}${started.stderr()}`);
}

/** A module that ends its process even if the test's process was killed. */
function exitAfter(milliseconds: number): string {
  return `data:text/javascript,setTimeout(()=>process.kill(process.pid,"SIGKILL"),${milliseconds}).unref()`;
}

/** Follows a process with piped output. */
export function follow(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
) {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const ended = once(child, "close").then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
  }));
  return {
    pid: child.pid ?? Number.NaN,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}

/** Expects a process to have failed with one line on standard error and no other output. @returns the line */
export function failureOf(end: ProcessEnd, code = 1): string {
  expect(end).toEqual({ code, signal: null, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
  return end.stderr.trimEnd();
}
