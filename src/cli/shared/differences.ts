import { isDeepStrictEqual } from "node:util";
import { printable } from "@user-groups/site-config/check-format";

/** Maximum differences that are printed of one object, and characters of one value. */
const MAX_LINES = 50;
const MAX_CHARACTERS = 200;

/** A value that differs; undefined where there is none. */
export interface Difference {
  /** Such as `claims.params.region`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What happens to an object. */
export interface ObjectChange {
  readonly action: "create" | "update" | "delete";
  /** Such as "data source". */
  readonly noun: string;
  readonly key: string;
  readonly differences: readonly Difference[];
}

/** Compares values by path: objects by key, lists by index, and a `text` that is JSON as JSON. */
export function differencesOf(before: unknown, after: unknown, path = ""): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (path === "text" && typeof before === "string" && typeof after === "string") {
    const differences = differencesOf(parsed(before), parsed(after), "document");
    return differences.length > 0 ? differences : [{ path, before, after }];
  }
  if (!isComposite(before) || !isComposite(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, before, after }];
  const [former, latter] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...former.keys(), ...latter.keys()])].flatMap((key) =>
    differencesOf(former.get(key), latter.get(key), path === "" ? key : `${path}.${key}`),
  );
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns the value of JSON text; any other text as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

export function titleOf({ action, noun, key }: ObjectChange): string {
  return printable(`${SIGNS[action]} ${noun} ${JSON.stringify(key)}`);
}

/** Formats a change for humans, with a line for each value that differs. */
export function formatChange(change: ObjectChange): string {
  const { action, differences } = change;
  if (action === "delete") return `${titleOf(change)}\n`;
  const lines = differences.slice(0, MAX_LINES).map(({ path, before, after }) => {
    const former = action === "create" ? "" : `${shorten(before)} → `;
    return `    ${printable(path)}: ${former}${shorten(after)}\n`;
  });
  const more = differences.length - lines.length;
  return `${titleOf(change)}\n${lines.join("")}${more > 0 ? `    … and ${more} more\n` : ""}`;
}

function shorten(value: unknown): string {
  if (value === undefined) return "none";
  const text = printable(JSON.stringify(value));
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
