import { spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedAccount } from "./account.js";

/** A program whose life is bound to ours through a guard. */
export interface GuardedProcess {
  /** Resolves with the way it ended, e.g. "exit status 1", its last output having been read. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** The last lines of its standard error. */
  logLines(): readonly string[];
  /** Lets Node exit while the program runs; the guard then stops it. */
  unref(): void;
  /** Stops it (SIGINT, after `graceMs` SIGQUIT, then SIGKILL) and waits for its end; idempotent. */
  stop(): Promise<void>;
}

const keptLines = 100;
const graceMs = 10_000;
const quitMs = 3_000;

// SIGINT is repeated because it is ignored until the program has installed its handlers: the shell starts
// background jobs so. The marker tells the guard that nobody else is left to remove the workspace; whatever
// killed the program may be about to kill its owner, too. PIPE: the shell tells of a killed program, perhaps to no one.
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
 * Starts a program in its own process group, under a guard that ends it when this process ends or dies and
 * then removes `workspace`. Throws the system's error when the guard cannot be started.
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
    // Nothing of our environment: PGDATA, PGOPTIONS or a locale would change what the server does.
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
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
      // An orphan of a killed server may hold the log open for a moment longer.
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
    // The group ended on its own in the meantime, which is what the signal was for.
  }
}
