import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, type BrowserServer, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** The shell first: a page takes a third of the CPU time that it takes in the browser, which draws its own windows as well. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** A page with its recorded problems. */
export interface WatchedPage {
  readonly page: Page;
  /** Console warnings and errors, including Content-Security-Policy violations, and uncaught exceptions. */
  readonly complaints: readonly string[];
  /** URLs of requests to other hosts, including those of workers. */
  readonly elsewhere: readonly string[];
}

/** Finds the browser: CHROMIUM_PATH, or a usual name on the PATH. */
export async function findChromium(): Promise<string | undefined> {
  const configured = process.env["CHROMIUM_PATH"];
  if (configured !== undefined) return configured;
  const folders = process.env["PATH"]?.split(delimiter) ?? [];
  for (const path of folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** Starts a headless browser that can reach only this machine. */
export async function startChromium(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({
    executablePath,
    // The sandbox needs rights that containers and root lack; only our own pages are opened.
    chromiumSandbox: false,
    // The shell does not isolate sites by default, as the browser does.
    args: ["--site-per-process", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  });
}

/** Display settings of a page. */
export interface Screen {
  readonly width: number;
  readonly colorScheme: "light" | "dark";
}

/** Opens a URL in a new browser context until the test ends. */
export async function openPage(
  browser: Browser,
  url: string,
  { width, colorScheme }: Screen = { width: 1280, colorScheme: "light" },
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme,
    // Checks of contrast must not meet colors between those of two states.
    reducedMotion: "reduce",
  });
  onTestFinished(async ({ task }) => {
    // What the page shows explains more than the time limit of a wait.
    for (const error of task.result?.errors ?? []) error.stack += `\nThe page: ${await textOf(context)}`;
    await context.close();
  });
  context.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  const watch = (address: string) => {
    if (new URL(address).host !== new URL(url).host) elsewhere.push(address);
  };
  context.on("request", (request) => watch(request.url()));
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) complaints.push(message.text());
  });
  const page = await context.newPage();
  page.on("websocket", (socket) => watch(socket.url()));
  await page.goto(url);
  return { page, complaints, elsewhere };
}

async function textOf(context: BrowserContext): Promise<string> {
  const texts = await Promise.all(context.pages().map((page) => page.locator("body").innerText()));
  return texts.join("\n").replaceAll(/\n+/g, " | ");
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
