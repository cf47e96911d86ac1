import { parseArgs } from "node:util";

/** The service once more, with further settings. */
export interface Variant {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface CompareOptions {
  /** The workloads; all when undefined. */
  readonly only: readonly string[] | undefined;
  /** Whom we are compared with; everybody when undefined. */
  readonly against: readonly string[] | undefined;
  readonly variants: readonly Variant[];
  readonly connections: readonly number[];
  readonly rounds: number;
  /** How long each measurement takes. */
  readonly seconds: number;
  /**
   * How long everybody answers each reading before anything is measured: V8 compiles what runs often, and a service runs for weeks. Writings
   * are warmed up as briefly as can be, as they use up tokens.
   */
  readonly warmUpSeconds: number;
  /** The groups of the largest account. */
  readonly groups: number;
  /** Whether latency is also measured at half of the load that each can bear. */
  readonly half: boolean;
  /** Whether answers are compared, and nothing is measured. */
  readonly checkOnly: boolean;
}

const FULL = { connections: [1, 32, 256], rounds: 4, seconds: 2, warmUp: 10, groups: 50_000, half: true };
const QUICK = { connections: [32], rounds: 3, seconds: 1, warmUp: 1, groups: 10_000, half: false };

const USAGE = `npm run bench -- compare [options]
  --quick                   one number of connections, short rounds, fewer groups
  --only WORKLOAD,…         only these workloads
  --against CONTESTANT,…    only these contestants besides ours
  --variant NAME:KEY=VALUE,… our service once more, with these settings; may be repeated
  --connections N,…         --rounds N   --seconds N   --warm-up SECONDS   --groups N   --half   --check (no measurement)`;

/** Reads the command line. @throws Error for what is not understood, with what would be */
export function readOptions(args: readonly string[]): CompareOptions {
  try {
    return read(args);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

function read(args: readonly string[]): CompareOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      half: { type: "boolean" },
      only: { type: "string" },
      against: { type: "string" },
      variant: { type: "string", multiple: true, default: [] },
      connections: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "warm-up": { type: "string" },
      groups: { type: "string" },
    },
  });
  const preset = values.quick || values.check ? QUICK : FULL;
  return {
    only: values.only?.split(","),
    against: values.against?.split(","),
    variants: values.variant.map(readVariant),
    connections: values.connections?.split(",").map(readNumber) ?? preset.connections,
    rounds: values.rounds === undefined ? preset.rounds : readNumber(values.rounds),
    seconds: values.seconds === undefined ? preset.seconds : readNumber(values.seconds),
    warmUpSeconds: values["warm-up"] === undefined ? preset.warmUp : readNumber(values["warm-up"]),
    groups: values.groups === undefined ? preset.groups : readNumber(values.groups),
    half: values.half ?? preset.half,
    checkOnly: values.check,
  };
}

function readVariant(text: string): Variant {
  const [, name, settings] = /^([\w-]+):(.+)$/.exec(text) ?? [];
  if (name === undefined || settings === undefined)
    throw new Error(`--variant ${text} is not NAME:KEY=VALUE,…`);
  return { name, settings: Object.fromEntries(settings.split(",").map((pair) => readPair(pair))) };
}

function readPair(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^(\w+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`${text} is not KEY=VALUE`);
  return [name, value];
}

function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${text} is not a whole number above 0`);
  return Number(text);
}
