import { Writable } from "node:stream";
import { runCommand } from "../../../src/cli/program.js";
import { recordEnvironment, recordOutput } from "../secrets/process-record.js";
import type { ProcessEnd } from "./running-process.js";

let last: Promise<unknown> = Promise.resolve();

/** Runs a CLI command in this process, which saves the start of another one. Concurrent commands wait for each other. */
export function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProcessEnd> {
  const end = last.then(() => capture(args, env));
  last = end.catch(() => undefined);
  return end;
}

async function capture(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProcessEnd> {
  recordEnvironment(env);
  const [stdout, stderr] = [replace("stdout"), replace("stderr")];
  try {
    const code = await runCommand(["node", "user-groups", ...args], env);
    const end = { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
    recordOutput(args, end);
    return end;
  } finally {
    stdout.restore();
    stderr.restore();
  }
}

/** Replaces a stream of this process. */
function replace(name: "stdout" | "stderr") {
  const before = Object.getOwnPropertyDescriptor(process, name) ?? {};
  let text = "";
  const value = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { value, configurable: true });
  return { text: () => text, restore: () => Object.defineProperty(process, name, before) };
}
