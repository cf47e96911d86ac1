import { expect } from "vitest";
import type { ProcessEnd } from "./running-process.js";

/** Expects a process to have failed with one line on standard error and no other output. @returns the line */
export function failureOf(end: ProcessEnd, code = 1): string {
  expect(end).toEqual({ code, signal: null, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
  return end.stderr.trimEnd();
}
