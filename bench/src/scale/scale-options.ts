import { parseArgs } from "node:util";

export interface ScaleOptions {
  /** How many groups there are in each of the databases, in ascending order. */
  readonly groups: readonly number[];
  readonly rounds: number;
  /** How long each measurement of point reads and pages takes. */
  readonly seconds: number;
  /** How long each reading runs before anything is measured. */
  readonly warmUpSeconds: number;
}

const FEWEST_GROUPS = 1000;

const USAGE = `npm run bench -- scale [options]
  --groups N,…   the sizes that are compared; 1000,100000,10000000 unless told otherwise, and no fewer than 1000
  --rounds N     --seconds N   --warm-up SECONDS`;

/** Reads the command line. @throws Error for what is not understood, with what would be */
export function readScaleOptions(args: readonly string[]): ScaleOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        groups: { type: "string", default: "1000,100000,10000000" },
        rounds: { type: "string", default: "4" },
        seconds: { type: "string", default: "2" },
        "warm-up": { type: "string", default: "10" },
      },
    });
    return {
      groups: values.groups
        .split(",")
        .map(readGroups)
        .toSorted((one, other) => one - other),
      rounds: readNumber(values.rounds),
      seconds: readNumber(values.seconds),
      warmUpSeconds: readNumber(values["warm-up"]),
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

function readGroups(text: string): number {
  const groups = readNumber(text);
  if (groups < FEWEST_GROUPS)
    throw new Error(`${text} groups leave too few for the pages of the largest account`);
  return groups;
}

function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${text} is not a whole number above 0`);
  return Number(text);
}
