import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedAccount } from "./account.js";

/** A program that a guard stops when this process exits. */
export interface GuardedProcess {
  /** Resolves with e.g. "exit status 1" after the program has exited and its output has been read. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** The last lines of its stderr. */
  logLines(): readonly string[];
  /** Lets Node exit while the program runs; the guard then stops it. */
  unref(): void;
  /** Stops it (SIGINT, after `graceMs` SIGQUIT, then SIGKILL) and waits for its exit; idempotent. */
  stop(): Promise<void>;
}

const maxLogLines = 100;
const graceMs = 10_000;
const quitMs = 3_000;

// SIGINT is repeated: the shell starts background jobs with SIGINT ignored, until the program installs its handler. The file `released`
// marks that the owner has gone or is stopping, so that the guard must remove the workspace; after a kill the guard waits a second for it,
// since the owner may be killed as well. PIPE is ignored: the shell reports a killed program on stderr, which may be closed.
const guardScript = `
trap '' HUP INT QUIT TERM PIPE
exec 3<&0 </dev/null
workspace=$1
shift
"$@" 3<&- &
program=$!
(
  while read -r line; do :; done <&3
  touch "$workspace/released"
  while kill -INT "$program"; do sleep 0.1 || sleep 1; done
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"
status=$?
if [ "$status" -gt 128 ] && ! [ -e "$workspace/released" ]; then sleep 1; fi
if [ -e "$workspace/released" ]; then
  wait "$watcher"
  rm -rf "$workspace"
else
  kill -KILL "$watcher" 2>/dev/null
fi
exit "$status"
`;

/**
 * Starts a program in its own process group, under a guard that stops it when this process exits or is killed, and then removes
 * `workspace`.
 * @throws the system error when the guard cannot be started
 */
export async function startGuarded(program: {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly workspace: string;
  readonly account: EmbeddedAccount | undefined;
  readonly onLog: ((line: string) => void) | undefined;
}): Promise<GuardedProcess> {
  const child = spawn("/bin/sh", ["-c", guardScript, "guard", program.workspace, ...program.command], {
    ...program.account,
    cwd: program.cwd,
    detached: true,
    // Inherit no environment: PGDATA, PGOPTIONS or a locale would change the server's behaviour.
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > maxLogLines) lines.shift();
    program.onLog?.(line);
  });
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close").then(
    () => undefined,
    () => undefined,
  );
  let exited = false;
  const ended = new Promise<string>((resolve) => {
    child.once("exit", async (status, signal) => {
      exited = true;
      // A child process of a killed server may keep stderr open a little longer.
      await settledWithin(closed, 500);
      child.stderr.destroy();
      resolve(signal === null ? `exit status ${status}` : `signal ${signal}`);
    });
  });
  await once(child, "spawn");

  async function end(): Promise<void> {
    child.stdin.end();
    for (const [waitMs, signal] of [
      [graceMs, "SIGQUIT"],
      [quitMs, "SIGKILL"],
    ] as const) {
      if (await settledWithin(ended, waitMs)) return;
      signalGroup(child.pid, signal);
    }
    await ended;
  }
  let stopping: Promise<void> | undefined;

  return {
    ended,
    hasEnded: () => exited,
    logLines: () => lines,
    unref() {
      child.unref();
      for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
    },
    stop() {
      child.ref();
      stopping ??= end();
      return stopping;
    },
  };
}

async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    const timeout = sleep(milliseconds, false, { signal: timer.signal });
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    timer.abort();
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already exited.
  }
}
