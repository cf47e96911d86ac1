import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../../../../load.lua", import.meta.url));

/** What a load of requests came to. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of a reply with its headers. */
  readonly meanBytes: number;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The requests; sent from the first one again after the last one. */
  readonly file: string;
  /** The mean pause of a connection before each request, in milliseconds; 0 for none. */
  readonly pauseMs: number;
}

/** Writes requests as the load generator reads them. */
export async function writeRequests(file: string, requests: readonly string[]): Promise<void> {
  const parts = requests.map((text) => String(Buffer.byteLength(text)).padStart(8, "0") + text);
  await writeFile(file, parts.join(""));
}

/** Has wrk send requests, with one thread. @throws Error when any was refused or failed */
export async function runWrk({ url, connections, seconds, file, pauseMs }: Load): Promise<LoadResult> {
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", SCRIPT, url];
  const { stdout } = await promisify(execFile)("wrk", [...options, "--", file, String(pauseMs)]);
  const counts: WrkCounts = JSON.parse(stdout.slice(stdout.indexOf('{"requests"')));
  if (counts.refused > 0 || counts.broken > 0) {
    throw new Error(
      `Of ${counts.requests} requests ${counts.refused} were refused, ${counts.broken} failed.`,
    );
  }
  return {
    requests: counts.requests,
    perSecond: counts.requests / (counts.microseconds / 1e6),
    p50: counts.requests > 0 ? counts.p50 / 1000 : Number.NaN,
    p99: counts.requests > 0 ? counts.p99 / 1000 : Number.NaN,
    meanBytes: counts.bytes / counts.requests,
  };
}

interface WrkCounts {
  readonly requests: number;
  readonly microseconds: number;
  readonly bytes: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
  readonly broken: number;
}
