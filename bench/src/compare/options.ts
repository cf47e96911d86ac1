import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { readNumbers, readOptions } from "../options.js";

/** The service with different settings. */
export interface Variant {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** The working copy in which it was built; this one by default. */
  readonly directory?: string;
  /** The Node.js program; that of this process by default. */
  readonly node?: string;
  /** Node.js options. */
  readonly nodeOptions?: readonly string[];
}

/** Also the program of contestants that do not run on Node.js 20. */
export const NODE_24 = join(
  dirname(createRequire(import.meta.url).resolve("node/package.json")),
  "bin",
  "node",
);

/** What the image sets for Node.js 24 (Dockerfile). */
const IMAGE_SETTINGS = { NODE_OPTIONS: "--max-semi-space-size=16" };

const FULL = { connections: [32], rounds: 4, seconds: 2, warmUp: 20, groups: 50_000, half: true };
const QUICK = { connections: [32], rounds: 3, seconds: 1, warmUp: 1, groups: 10_000, half: false };

const USAGE = `npm run bench -- compare [options]
  --quick                   few and short rounds, fewer groups
  --only WORKLOAD,…         only these workloads
  --against CONTESTANT,…    only these contestants besides ours
  --variant NAME:KEY=VALUE,… our service once more, with these settings; may be repeated
  --build NAME:DIRECTORY    our service once more, as built in another working copy; may be repeated
  --node-24                 our service once more, on Node.js 24
  --profile DIRECTORY       writes a CPU profile of our service
  --save                    replaces the measurements in docs/performance.md and bench/results.md, and the chart
  --connections N,…         --rounds N   --seconds N   --warm-up SECONDS   --groups N   --half   --check (no measurement)`;

export type CompareOptions = ReturnType<typeof readCompareOptions>;

/** Parses the command line. @throws Error with the usage for invalid options */
export function readCompareOptions(args: readonly string[]) {
  const lists = ["only", "against", "variant", "build", "connections", "profile"];
  const names = [...lists, "rounds", "seconds", "warm-up", "groups"];
  const flags = ["quick", "check", "half", "node-24", "save"];
  return readOptions(args, { names, flags, usage: USAGE }, (options) => {
    const preset = options.has("quick") || options.has("check") ? QUICK : FULL;
    const number = (name: string, value: number) => readNumbers(options, name, []).at(-1) ?? value;
    return {
      /** The workloads; all if undefined. */
      only: options.get("only")?.flatMap((text) => text.split(",")),
      /** The contestants; all if undefined. */
      against: options.get("against")?.flatMap((text) => text.split(",")),
      variants: [
        ...(options.get("variant") ?? []).map(readVariant),
        ...(options.get("build") ?? []).map(readBuild),
        ...(options.has("node-24") ? [{ name: "node-24", settings: IMAGE_SETTINGS, node: NODE_24 }] : []),
      ],
      profile: options.get("profile")?.at(-1),
      save: options.has("save"),
      connections: readNumbers(options, "connections", preset.connections),
      rounds: number("rounds", preset.rounds),
      /** The duration of each measurement. */
      seconds: number("seconds", preset.seconds),
      /**
       * Longest warm-up of a read workload, which ends earlier when the throughput is stable. Write workloads are warmed up as briefly as
       * possible, as they consume tokens.
       */
      warmUpSeconds: number("warm-up", preset.warmUp),
      /** The number of groups of the largest account. */
      groups: number("groups", preset.groups),
      /** Whether to also measure latency at half load. */
      half: options.has("half") || preset.half,
      /** Whether to compare replies without measuring. */
      checkOnly: options.has("check"),
    };
  });
}

function readBuild(text: string): Variant {
  const [, name, directory] = /^([\w-]+):(.+)$/.exec(text) ?? [];
  if (name === undefined || directory === undefined) throw new Error(`--build ${text} is not NAME:DIRECTORY`);
  return { name, settings: {}, directory: resolve(directory) };
}

function readVariant(text: string): Variant {
  const [, name, settings] = /^([\w-]+):(\w+=[^,]*(?:,\w+=[^,]*)*)$/.exec(text) ?? [];
  if (name === undefined || settings === undefined)
    throw new Error(`--variant ${text} is not NAME:KEY=VALUE,…`);
  const pairs = settings.split(",").map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  return { name, settings: Object.fromEntries(pairs) };
}
