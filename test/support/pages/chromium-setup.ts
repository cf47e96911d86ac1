import type { TestProject } from "vitest/node";
import { builtPages } from "./built-pages.js";
import { findChromium, startChromium } from "./chromium.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The WebSocket URL of the browser that all tests share; empty without Chromium. */
    chromium: string;
  }
}

/** Starts one Chromium and builds the pages once for all tests of a project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await builtPages();
  const executablePath = await findChromium();
  const server = executablePath === undefined ? undefined : await startChromium(executablePath);
  project.provide("chromium", server?.wsEndpoint() ?? "");
  return async () => server?.close();
}
