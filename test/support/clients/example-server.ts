import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** How long an example may live, whatever happens. */
const LIFETIME_MS = 60_000;

/**
 * Starts an example of the client package, until the test ends.
 * @param examples the directory of all of them
 * @returns its address @throws Error when it ends instead, with what it wrote
 */
export async function startExample(
  examples: string,
  name: "express" | "fastify",
  settings: { readonly serviceUrl: string; readonly apiKey: string; readonly port: number },
): Promise<string> {
  const child = spawn(process.execPath, [join(examples, name, "server.js")], {
    env: {
      PATH: process.env["PATH"],
      USER_GROUPS_URL: settings.serviceUrl,
      USER_GROUPS_API_KEY: settings.apiKey,
      PORT: String(settings.port),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIFETIME_MS,
    killSignal: "SIGKILL",
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints += text;
  });
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^The example is available at (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The example did not start: ${complaints}`);
}
