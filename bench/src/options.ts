import { parseArgs } from "node:util";

/** Command-line options by name, each with its values; a flag has none. */
export type Options = ReadonlyMap<string, readonly string[]>;

/** Parses `--name value,…` and `--flag`. @throws Error with the usage for invalid options */
export function readOptions<Result>(
  args: readonly string[],
  { names, flags, usage }: { names: readonly string[]; flags: readonly string[]; usage: string },
  read: (options: Options) => Result,
): Result {
  const string = (name: string) => [name, { type: "string", multiple: true }] as const;
  const boolean = (name: string) => [name, { type: "boolean" }] as const;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries([...names.map(string), ...flags.map(boolean)]),
    });
    return read(new Map(Object.entries(values).map(([name, value]) => [name, listOf(value)])));
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

/** Parses positive integers. */
export function readNumbers(options: Options, name: string, defaults: readonly number[]): readonly number[] {
  return options.get(name)?.flatMap((text) => text.split(",").map(readNumber)) ?? defaults;
}

export function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${text} is not a whole number above 0`);
  return Number(text);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
