import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../../../../load.lua", import.meta.url));

/** The result of a load. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The mean size of a reply with its headers. */
  readonly meanBytes: number;
}

interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The requests, sent repeatedly from the first to the last. */
  readonly file: string;
  /** The mean pause of a connection before each request, in milliseconds; 0 for none. */
  readonly pauseMs: number;
}

/** @throws Error when wrk is not installed */
export async function requireWrk(): Promise<void> {
  // `wrk --version` prints the version and exits with an error.
  const found = await promisify(execFile)("wrk", ["--version"]).catch((error: { code?: unknown }) => error);
  if ("code" in found && found.code === "ENOENT")
    throw new Error("wrk is not installed: apt-get install wrk");
}

/** Writes requests in the format of load.lua. */
export async function writeRequests(file: string, requests: readonly string[]): Promise<void> {
  const parts = requests.map((text) => String(Buffer.byteLength(text)).padStart(8, "0") + text);
  await writeFile(file, parts.join(""));
}

/** Runs wrk with one thread. @throws Error when a request fails */
export async function runWrk({ url, connections, seconds, file, pauseMs }: Load): Promise<LoadResult> {
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", SCRIPT, url];
  const { stdout } = await promisify(execFile)("wrk", [...options, "--", file, String(pauseMs)]);
  const result = JSON.parse(stdout.slice(stdout.indexOf('{"requests"')));
  const { requests, microseconds, bytes, p50, p99, refused, broken } = result;
  if (refused > 0 || broken > 0)
    throw new Error(`Of ${requests} requests ${refused} were refused, ${broken} failed.`);
  const latency = (figure: number) => (requests > 0 ? figure / 1000 : Number.NaN);
  return {
    ...{ requests, perSecond: requests / (microseconds / 1e6), meanBytes: bytes / requests },
    ...{ p50: latency(p50), p99: latency(p99) },
  };
}
