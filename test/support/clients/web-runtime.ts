import { join } from "node:path";
import { compileFunction, runInNewContext } from "node:vm";
import { rolldown } from "rolldown";

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
  const input = join(process.cwd(), "code.ts");
  const bundle = await rolldown({
    input,
    // It knows no module of Node.js.
    platform: "neutral",
    plugins: [
      {
        name: "code",
        load: (id) => (id === input ? code : null),
        resolveId: (id) => (id === input ? id : null),
      },
    ],
    logLevel: "silent",
  });
  const [{ code: bundled, imports }] = (
    await bundle.generate({ format: "iife", name: "code", exports: "named" })
  ).output;
  if (imports.length > 0) throw new Error(`The code imports ${imports.join(", ")}.`);
  const language: unknown = runInNewContext("Object.getOwnPropertyNames(globalThis)");
  const kept = new Set([...Object(language), ...WEB_APIS]);
  const names = Object.getOwnPropertyNames(globalThis);
  const hidden = names.filter((name) => !kept.has(name) && /^[A-Za-z]\w*$/.test(name));
  const web = Object.fromEntries(WEB_APIS.map((name) => [name, Reflect.get(globalThis, name)]));
  const run = compileFunction(`${bundled}; return code.default(data);`, [
    "data",
    "globalThis",
    ...hidden,
    "require",
    "module",
  ]);
  return run(data, web);
}
