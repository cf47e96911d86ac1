import { compileFunction, runInNewContext } from "node:vm";
import { build } from "esbuild";

/** What edge runtimes have besides the language: a part of the Minimum Common Web API (WinterTC). */
const WEB_APIS = [
  "AbortController",
  "AbortSignal",
  "Headers",
  "ReadableStream",
  "Request",
  "Response",
  "TextDecoder",
  "TextDecoderStream",
  "TextEncoder",
  "TransformStream",
  "URL",
  "URLSearchParams",
  "atob",
  "btoa",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "performance",
  "setTimeout",
];

/**
 * Runs a module that sees the language and Web APIs only: the other globals of Node.js are undefined in it.
 * @param code imports from this repository; its default export is called with `data`, and its result returned
 */
export async function runWithWebApis(code: string, data: unknown): Promise<unknown> {
  const stdin = { contents: `${code}\n`, resolveDir: process.cwd() };
  // `neutral` knows no module of Node.js: an import of one is an error.
  const options = { bundle: true, platform: "neutral", format: "iife", globalName: "code" } as const;
  const { outputFiles } = await build({ ...options, stdin, write: false, logLevel: "silent" });
  const language: unknown = runInNewContext("Object.getOwnPropertyNames(globalThis)");
  const kept = new Set([...Object(language), ...WEB_APIS]);
  const names = Object.getOwnPropertyNames(globalThis);
  const hidden = names.filter((name) => !kept.has(name) && /^[A-Za-z]\w*$/.test(name));
  const web = Object.fromEntries(WEB_APIS.map((name) => [name, Reflect.get(globalThis, name)]));
  const run = compileFunction(`${outputFiles[0]?.text}; return code.default(data);`, [
    "data",
    "globalThis",
    ...hidden,
    "require",
    "module",
  ]);
  return run(data, web);
}
