import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";
import { databaseUrl } from "../../test/support/postgres/database-url.js";
import { Inspector } from "./inspector.js";

const built = new URL("../../../../dist/src/", import.meta.url);
const STARTING_MS = 30_000;
/** As pino numbers them. */
const WARNING = 40;

/** The built service in a process of its own. */
export interface SoakService {
  readonly url: string;
  readonly key: string;
  readonly inspector: Inspector;
  /** How often it has logged which message, of those that are warnings or worse. */
  readonly warnings: ReadonlyMap<string, number>;
  /** Ends it as an operator would. @throws Error when it does not end well */
  stop(): Promise<void>;
}

/** Starts it on a database, with an account and an admin key. */
export async function startSoakService(database: EmbeddedConnection): Promise<SoakService> {
  const env = {
    PORT: "0",
    DATABASE_URL: databaseUrl(database),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    WEBHOOK_ALLOW_PRIVATE: "true",
    // The clients say where a failed authentication is to come from.
    TRUSTED_PROXIES: "127.0.0.0/8",
  };
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", pathOf("main.js")], { env });
  const warnings = new Map<string, number>();
  const written = follow(child, (line) => count(line, warnings));
  try {
    const url = await waitForStart(child, written);
    const inspector = await Inspector.open(written.stderr());
    const key = await run(env, [
      "key",
      "create",
      "--account",
      "soak",
      "--environment",
      "Customer",
      "--scope",
      "admin",
    ]);
    return { url, key: key.trim(), inspector, warnings, stop: () => stop(child, inspector, written) };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

async function run(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [pathOf("cli.js"), ...args], { env })).stdout;
}

async function stop(
  child: ChildProcess,
  inspector: Inspector,
  { stderr }: ReturnType<typeof follow>,
): Promise<void> {
  inspector.close();
  child.kill("SIGTERM");
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`The service ended with ${child.exitCode}: ${stderr()}`);
}

async function waitForStart(child: ChildProcess, written: ReturnType<typeof follow>): Promise<string> {
  for (let waited = 0; waited < STARTING_MS && child.exitCode === null; waited += 50) {
    const [, url] = /answers at (\S+) /.exec(written.stdout()) ?? [];
    if (url !== undefined) return url;
    await sleep(50);
  }
  throw new Error(`The service did not start: ${written.stderr()}`);
}

/** Reads what a process writes; of its log, which is long, only the beginning is kept. */
function follow(child: ChildProcess, onLogLine: (line: string) => void) {
  let stdout = "";
  let stderr = "";
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (stderr.length < 10_000) stderr += text;
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLogLine(line);
  });
  return { stdout: () => stdout, stderr: () => stderr };
}

function count(line: string, warnings: Map<string, number>): void {
  if (!line.startsWith("{") || line.includes('"level":30')) return;
  const { level, msg } = JSON.parse(line);
  if (level >= WARNING) warnings.set(msg, (warnings.get(msg) ?? 0) + 1);
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(script, built));
}
