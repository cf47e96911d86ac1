import { appendFileSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject } from "vitest";
import type { KnownSecret } from "./secret-search.js";

/**
 * What a test run logged and which secrets it knew, in a directory of the run: at its end the one is searched for the other
 * (leak-check.ts). Each test file is a part of the run; what belongs to all of them is noted under WHOLE_RUN.
 */
export const WHOLE_RUN = "postgresql";
const SECRETS = ".secrets";
const LOG = ".log";
/** What replies name failures. */
const FAILURES = ["error", "errors", "userErrors"];

let log: number | undefined;

/** Notes what a service logged. */
export function recordLog(text: string): void {
  log ??= openSync(logPath(inject("postgres").record, currentPart()), "a");
  writeSync(log, text.endsWith("\n") ? text : `${text}\n`);
}

/** Notes what a reply tells the caller of failures, and the key that is in a webhook's secret. */
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

/** Notes a secret that cannot be known by its format. */
export function recordSecret(name: string, value: string | Buffer): void {
  writeSecret(inject("postgres").record, currentPart(), { name, value: Buffer.from(value) });
}

/** The same for any part of a run. Short ones are words of tests, and left out. */
export function writeSecret(record: string, part: string, { name, value }: KnownSecret): void {
  if (value.length < 12) return;
  appendFileSync(
    join(record, `${part}${SECRETS}`),
    `${JSON.stringify({ name, base64: value.toString("base64") })}\n`,
  );
}

/** The secrets that the current test file knows so far. */
export function currentSecrets(): KnownSecret[] {
  return secretsOf(inject("postgres").record, currentPart());
}

/** The secrets that a part of the run knows so far, with those of the whole run. */
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

/** Where a part of the run writes its log. */
export function logPath(record: string, part: string): string {
  return join(record, `${part}${LOG}`);
}

/** Each log that was written so far. */
export function readLogs(record: string): { readonly part: string; readonly text: string }[] {
  return readdirSync(record)
    .filter((name) => name.endsWith(LOG))
    .map((name) => ({ part: name.slice(0, -LOG.length), text: readFileSync(join(record, name), "utf8") }));
}

function currentPart(): string {
  return basename(expect.getState().testPath ?? "unknown");
}
