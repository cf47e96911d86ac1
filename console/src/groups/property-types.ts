import { ExactNumber } from "../api/exact-json.js";
import { isObject } from "../parts/is-object.js";

/** The kinds of values that have a field of their own. */
export type ValueKind = "text" | "number" | "boolean" | "json";

/** What the environment's schema says about a property of groups. */
export interface PropertyType {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly kind: ValueKind;
  readonly format: string | undefined;
  /** The only values that it may have. */
  readonly choices: readonly unknown[] | undefined;
  readonly minimum: unknown;
  readonly maximum: unknown;
  readonly isRequired: boolean;
  readonly isDeprecated: boolean;
  /** The value of the property when it is added. */
  readonly initial: unknown;
}

export interface PropertyTypes {
  /** Required properties first. */
  readonly byName: ReadonlyMap<string, PropertyType>;
  /** Whether groups may have no other properties. */
  readonly isClosed: boolean;
}

/** The values of new properties, by kind. */
export const INITIAL: Readonly<Record<ValueKind, unknown>> = {
  text: "",
  number: 0,
  boolean: false,
  json: null,
};

export function kindOf(value: unknown): ValueKind {
  if (typeof value === "string") return "text";
  if (typeof value === "number" || value instanceof ExactNumber) return "number";
  return typeof value === "boolean" ? "boolean" : "json";
}

/** Reads a JSON Schema that the service has accepted; anything else has no properties. */
export function readTypes(schema: unknown): PropertyTypes {
  const root = isObject(schema) ? schema : {};
  const required = listOf(root["required"]);
  const types = Object.entries(isObject(root["properties"]) ? root["properties"] : {}).map(
    ([name, rule]) => [name, typeOf(isObject(rule) ? rule : {}, required.includes(name))] as const,
  );
  return {
    byName: new Map(
      types.toSorted(([, one], [, other]) => Number(other.isRequired) - Number(one.isRequired)),
    ),
    isClosed: root["additionalProperties"] === false,
  };
}

function typeOf(rule: Readonly<Record<string, unknown>>, isRequired: boolean): PropertyType {
  const { title, description, format, minimum, maximum } = rule;
  const choices =
    "const" in rule ? [rule["const"]] : Array.isArray(rule["enum"]) ? listOf(rule["enum"]) : undefined;
  const kind = kindIn(rule["type"], choices);
  return {
    title: stringIn(title),
    description: stringIn(description),
    kind,
    format: stringIn(format),
    choices,
    minimum,
    maximum,
    isRequired,
    isDeprecated: rule["deprecated"] === true,
    initial: "default" in rule ? rule["default"] : (choices?.[0] ?? INITIAL[kind]),
  };
}

/** The kind of the one type that a rule allows beside null, or else that of its choices. */
function kindIn(type: unknown, choices: readonly unknown[] = []): ValueKind {
  const kinds = new Set(
    listOf(Array.isArray(type) ? type : [type])
      .filter((each) => each !== "null" && each !== undefined)
      .map((each) => KINDS.get(each) ?? "json"),
  );
  const [kind = choices[0] === undefined ? "text" : kindOf(choices[0]), ...others] = kinds;
  return others.length === 0 ? kind : "json";
}

const KINDS: ReadonlyMap<unknown, ValueKind> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "boolean"],
]);

/** Returns the name that was probably meant by one that is not in the schema; undefined if none is similar. */
export function similarName(name: string, names: Iterable<string>): string | undefined {
  const [best] = [...names]
    .map((known) => ({ known, edits: editsBetween(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, edits }) => edits <= Math.min(2, known.length / 3))
    .toSorted((one, other) => one.edits - other.edits);
  return best?.known;
}

/** Returns how many letters were inserted, removed, replaced or swapped with the next one. */
function editsBetween(from: string, to: string): number {
  let [older, old]: readonly number[][] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next[column] = Math.min(
        (old?.[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (old?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (older?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, old] = [old ?? [], next];
  }
  return old?.[to.length] ?? 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
