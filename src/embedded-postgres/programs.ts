import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type OnLog = ((line: string) => void) | undefined;

// Inherit no environment: PGDATA, PGOPTIONS or a locale would change the server's behaviour.
export const ENVIRONMENT = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };
const MAX_LOG_LINES = 100;

/** Runs one of PostgreSQL's programs. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "uid" | "gid" | "cwd">,
  onLog: OnLog,
) {
  const child = spawn(command, args, { ...options, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      if (lines.push(line) > MAX_LOG_LINES) lines.shift();
      onLog?.(line);
    });
  }
  return {
    lines,
    exitCode: once(child, "exit").then(([code]) => code),
    /** Resolves when it has exited, and every process that has inherited its output. */
    closed: new Promise<void>((resolve) => child.once("close", () => resolve())),
  };
}

/** Condenses the output of a failed program to one line: its last FATAL with the detail, else its last line. */
export function explain(lines: readonly string[]): string {
  const textOf = (line: string) => line.replace(/^.*?\b(?:FATAL|PANIC|DETAIL|error):\s+/, "").trim();
  const fatal = lines.findLastIndex((line) => /\b(?:FATAL|PANIC|error): /.test(line));
  const detail = lines.slice(fatal).find((line) => fatal !== -1 && line.includes("DETAIL: "));
  const reason = textOf(lines.at(fatal) ?? "it reported no reason");
  return detail === undefined ? reason : `${reason} (${textOf(detail)})`;
}

/**
 * Returns the argument -D of a program whose working directory is `directory`. On Linux it needs no search permission on the parent
 * directories, which another account may lack.
 */
export function directoryArgument(directory: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : directory;
}
