import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, inject } from "vitest";
import type { KnownSecret } from "./secret-search.js";

/**
 * A test run's logs and known secrets, in a directory of the run: at its end the logs are searched for the secrets
 * (leak-check.ts). Each test file is a part of the run; records shared by all files are stored under WHOLE_RUN.
 */
export const WHOLE_RUN = "postgresql";
const SECRETS = ".secrets";
const LOG = ".log";
/** The names of error fields in replies. */
const FAILURES = ["error", "errors", "userErrors"];

/** The open log of a part; a worker may run several parts one after another. */
let log: { readonly part: string; readonly file: number } | undefined;

/** Records a line that a service logged. */
export function recordLog(text: string): void {
  const part = currentPart();
  if (log?.part !== part) {
    if (log) closeSync(log.file);
    log = { part, file: openSync(logPath(inject("postgres").record, part), "a") };
  }
  writeSync(log.file, text.endsWith("\n") ? text : `${text}\n`);
}

/** Records a reply's error messages, and the key in a webhook's secret. */
export function recordReply(reply: string): void {
  for (const [, base64 = ""] of reply.matchAll(/"whsec_([^"]+)"/g)) {
    recordSecret("the key of a webhook", Buffer.from(base64, "base64"));
  }
  if (!FAILURES.some((name) => reply.includes(`"${name}":`))) return;
  JSON.parse(reply, (name, value) => {
    if (FAILURES.includes(name) && JSON.stringify(value) !== "[]") recordLog(JSON.stringify(value));
    return value;
  });
}

/** Records a secret that has no recognizable format. */
export function recordSecret(name: string, value: string | Buffer): void {
  writeSecret(inject("postgres").record, currentPart(), { name, value: Buffer.from(value) });
}

/** The same for any part of a run. Short ones occur as words in tests and are ignored. */
export function writeSecret(record: string, part: string, { name, value }: KnownSecret): void {
  if (value.length < 12) return;
  appendFileSync(
    join(record, `${part}${SECRETS}`),
    `${JSON.stringify({ name, base64: value.toString("base64") })}\n`,
  );
}

/** The secrets that the current test file has recorded so far. */
export function currentSecrets(): KnownSecret[] {
  return secretsOf(inject("postgres").record, currentPart());
}

/** The secrets that a part of the run and the whole run have recorded so far. */
export function secretsOf(record: string, part: string): KnownSecret[] {
  const files = [...new Set([part, WHOLE_RUN])].map((name) => join(record, `${name}${SECRETS}`));
  const texts = files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""));
  const lines = new Set(
    texts
      .join("")
      .split("\n")
      .filter((line) => line !== ""),
  );
  return [...lines].map((line) => {
    const { name, base64 }: { name: string; base64: string } = JSON.parse(line);
    return { name, value: Buffer.from(base64, "base64") };
  });
}

/** The log file of a part of the run. */
export function logPath(record: string, part: string): string {
  return join(record, `${part}${LOG}`);
}

/** All logs written so far. */
export function readLogs(record: string): { readonly part: string; readonly text: string }[] {
  return readdirSync(record)
    .filter((name) => name.endsWith(LOG))
    .map((name) => ({ part: name.slice(0, -LOG.length), text: readFileSync(join(record, name), "utf8") }));
}

function currentPart(): string {
  return basename(expect.getState().testPath ?? "unknown");
}
