import { readNumbers, readOptions } from "../options.js";

/** The service with different settings. */
export interface Variant {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

const FULL = { connections: [1, 32, 256], rounds: 4, seconds: 2, warmUp: 20, groups: 50_000, half: true };
const QUICK = { connections: [32], rounds: 3, seconds: 1, warmUp: 1, groups: 10_000, half: false };

const USAGE = `npm run bench -- compare [options]
  --quick                   one number of connections, short rounds, fewer groups
  --only WORKLOAD,…         only these workloads
  --against CONTESTANT,…    only these contestants besides ours
  --variant NAME:KEY=VALUE,… our service once more, with these settings; may be repeated
  --connections N,…         --rounds N   --seconds N   --warm-up SECONDS   --groups N   --half   --check (no measurement)`;

export type CompareOptions = ReturnType<typeof readCompareOptions>;

/** Parses the command line. @throws Error with the usage for invalid options */
export function readCompareOptions(args: readonly string[]) {
  const names = ["only", "against", "variant", "connections", "rounds", "seconds", "warm-up", "groups"];
  const flags = ["quick", "check", "half"];
  return readOptions(args, { names, flags, usage: USAGE }, (options) => {
    const preset = options.has("quick") || options.has("check") ? QUICK : FULL;
    const number = (name: string, value: number) => readNumbers(options, name, []).at(-1) ?? value;
    return {
      /** The workloads; all if undefined. */
      only: options.get("only")?.flatMap((text) => text.split(",")),
      /** The contestants; all if undefined. */
      against: options.get("against")?.flatMap((text) => text.split(",")),
      variants: (options.get("variant") ?? []).map(readVariant),
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

function readVariant(text: string): Variant {
  const [, name, settings] = /^([\w-]+):(\w+=[^,]*(?:,\w+=[^,]*)*)$/.exec(text) ?? [];
  if (name === undefined || settings === undefined)
    throw new Error(`--variant ${text} is not NAME:KEY=VALUE,…`);
  const pairs = settings.split(",").map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  return { name, settings: Object.fromEntries(pairs) };
}
