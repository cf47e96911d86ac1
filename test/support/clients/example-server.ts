import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Time limit for an example, so that none outlives a killed test. */
const LIFETIME_MS = 300_000;

/**
 * Starts an example of the client package until the test ends.
 * @param examples the examples directory
 * @returns its URL @throws Error with its output when it exits instead
 */
export async function startExample(
  examples: string,
  name: "express" | "fastify",
  settings: {
    readonly serviceUrl: string;
    readonly apiKey: string;
    readonly audience?: string;
    readonly port: number;
  },
): Promise<string> {
  const child = spawn(process.execPath, [join(examples, name, "server.js")], {
    env: {
      PATH: process.env["PATH"],
      USER_GROUPS_URL: settings.serviceUrl,
      USER_GROUPS_API_KEY: settings.apiKey,
      USER_GROUPS_AUDIENCE: settings.audience,
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
