import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that listens on a port and ends with the test run, even if that is killed. */
export interface GuardedProgram {
  readonly pid: number;
  /** Ends it like a crash. */
  end(): Promise<void>;
}

const STARTING_MS = 120_000;
// The program ends when the holder of the shell's stdin exits.
const GUARD = `"$@" >/dev/null & echo "$!"; cat >/dev/null; kill -9 "$!"; wait`;

/** Starts a program and waits until it responds. @throws Error when it does not */
export async function startGuarded(
  program: string,
  options: readonly string[],
  port: number,
): Promise<GuardedProgram> {
  const guard = spawn("sh", ["-c", GUARD, "sh", program, ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [output] = await once(guard.stdout, "data");
  const deadline = Date.now() + STARTING_MS;
  while (!(await answers(port))) {
    if (Date.now() > deadline) throw new Error(`${program} does not start.`);
    await sleep(10);
  }
  return {
    pid: Number(String(output)),
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
