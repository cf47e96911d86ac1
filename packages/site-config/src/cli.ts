#!/usr/bin/env node
import { parseArgs } from "node:util";
import { checkFiles } from "./check.js";
import { CHECK_FORMATS, type CheckFormat } from "./check-format.js";

const USAGE = `Usage: site-config check [--strict] [--json | --format ${CHECK_FORMATS.join("|")}] FILE...

Validate site configuration files; - is standard input.

  --strict   treat warnings as errors; notices are never errors
  --json     short for --format json
  --format   output format: text (default), json, or github for workflow commands

Exit codes: 0 all files are valid, 1 a file has errors, 2 wrong arguments or a file cannot be read.
`;

interface Command {
  readonly files: readonly string[];
  readonly strict: boolean;
  readonly format: CheckFormat;
}

/** @returns null if help is requested @throws Error for wrong arguments */
function parseCommand(args: string[]): Command | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      strict: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      format: { type: "string", default: "text" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const [command, ...files] = positionals;
  if (command !== "check") throw new Error(`Expected the command check, found ${command ?? "none"}`);
  if (files.length === 0) throw new Error("Expected at least one file");
  const format = CHECK_FORMATS.find((name) => name === (values.json ? "json" : values.format));
  if (!format) throw new Error(`The format must be one of ${CHECK_FORMATS.join(", ")}`);
  return { files, strict: values.strict, format };
}

async function run(args: string[]): Promise<0 | 1 | 2> {
  try {
    const command = parseCommand(args);
    if (!command) {
      process.stdout.write(USAGE);
      return 0;
    }
    const { files, ...options } = command;
    const print = (text: string) => void process.stdout.write(text);
    return await checkFiles(files, options, { input: process.stdin, print });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
}

process.exitCode = await run(process.argv.slice(2));
