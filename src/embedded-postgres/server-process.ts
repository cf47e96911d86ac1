import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../domain/shared/operator-error.js";
import { ifPresent } from "./files.js";
import type { Installation } from "./installation.js";
import { directoryArgument, ENVIRONMENT, explain, type OnLog, runProgram } from "./programs.js";

/** A server that accepts connections. */
export interface ServerProcess {
  /** Resolves with the last line of the log when the server has exited for any reason. */
  readonly ended: Promise<string>;
  /** Stops the server and removes its workspace. */
  stop(): Promise<void>;
}

// Crash recovery of a large database may take long.
const START_TIMEOUT_S = "120";

// Reads until the service closes the pipe or dies. Stops only the server of this service, whose socket is in the workspace.
const GUARD = `
trap '' HUP INT TERM
read -r _
for mode in fast immediate; do
  if grep -qsxF "$2" postmaster.pid; then "$0" stop -D "$1" -m "$mode" -t 30; fi
done
rm -rf "$2"
`;

/**
 * Starts a server with its socket in the workspace, and a guard that stops it when this process ends, even if it is killed.
 * @returns undefined while processes of a killed server still use the cluster
 * @throws OperatorError with the server's error message when it does not start
 */
export async function startServer(
  { programs, account, workspace }: Installation,
  clusterDir: string,
  settings: Readonly<Record<string, string>>,
  onLog: OnLog,
): Promise<ServerProcess | undefined> {
  const place = { ...account, cwd: clusterDir, env: ENVIRONMENT };
  const directory = directoryArgument(clusterDir);
  const pgCtl = join(programs, "pg_ctl");
  const guard = spawn("/bin/sh", ["-c", GUARD, pgCtl, directory, workspace], {
    ...place,
    // Signals of the terminal do not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const guardExit = once(guard, "exit");
  await once(guard, "spawn");
  const options = Object.entries({
    listen_addresses: "",
    unix_socket_directories: workspace,
    unix_socket_permissions: "0700",
    ...settings,
  }).map(([name, value]) => `-c ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
  // The server inherits the output of pg_ctl for its log.
  const args = ["start", "-s", "-w", "-t", START_TIMEOUT_S, "-D", directory, "-o", options.join(" ")];
  const server = runProgram(pgCtl, args, place, onLog);
  const stop = async () => {
    guard.stdin.end();
    await guardExit;
    // A guard that was killed has not stopped the server.
    if (guard.signalCode === null) await server.closed;
  };
  if ((await server.exitCode) === 0)
    return { ended: server.closed.then(() => server.lines.at(-1) ?? "no log"), stop };
  await stop();
  if (server.lines.some((line) => /FATAL: .*shared memory block .* is still in use/.test(line)))
    return undefined;
  throw new OperatorError(`The embedded PostgreSQL server did not start: ${explain(server.lines)}`);
}

/** Stops the server that a killed service has left running. */
export async function stopLeftover({ programs, account }: Installation, clusterDir: string): Promise<void> {
  const args = ["stop", "-s", "-D", directoryArgument(clusterDir), "-m", "fast"];
  // If it fails, so does the next start, with the reason.
  await runProgram(join(programs, "pg_ctl"), args, { ...account, cwd: clusterDir }, undefined).exitCode;
}

/** Returns the address of the server in postmaster.pid, which may have crashed. */
export async function findServer(clusterDir: string): Promise<{ host: string; port: number } | undefined> {
  const lines = (await ifPresent(readFile(join(clusterDir, "postmaster.pid"), "utf8")))?.split("\n");
  const [port, host] = lines?.slice(3, 5) ?? [];
  return port && host ? { host, port: Number(port) } : undefined;
}
