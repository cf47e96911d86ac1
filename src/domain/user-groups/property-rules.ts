import { isDeepStrictEqual } from "node:util";
import { type FieldError, MAX_FIELD_ERRORS } from "../shared/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../shared/json.js";
import { markInexactNumbers, parseExactly } from "../shared/json-text.js";
import type { Properties } from "./properties.js";
import { PROPERTY_FORMATS, type PropertyFormat } from "./property-formats.js";

/** The types of JSON values, with the words of error rules. */
export const PROPERTY_TYPES = {
  null: "null",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  string: "a string",
  array: "a list",
  object: "a JSON object",
} as const;

export type PropertyType = keyof typeof PROPERTY_TYPES;

/** What a schema requires of a value. An absent part requires nothing. */
export interface PropertyRule {
  readonly types?: readonly PropertyType[] | undefined;
  /** The keys (`valueKey`) of the allowed values. */
  readonly enum?: ReadonlySet<string> | undefined;
  readonly const?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** In code points. */
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly format?: PropertyFormat | undefined;
  readonly items?: PropertyRule | undefined;
  readonly properties?: ReadonlyMap<string, PropertyRule> | undefined;
  readonly required?: readonly string[] | undefined;
  /** The rule of members that `properties` lacks, or whether there may be any. */
  readonly additionalProperties?: PropertyRule | boolean | undefined;
  readonly default?: JsonValue | undefined;
}

/** Returns a text that equal JSON values have in common, whatever the order of their members. */
export function valueKey(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(valueKey).join()}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${valueKey(member)}`,
    );
    return `{${members.toSorted().join()}}`;
  }
  // Unlike JSON.stringify, this distinguishes an inexact number, which was parsed as Infinity, from null.
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

interface PropertiesOptions {
  /** Properties whose equal members are not checked. */
  readonly former?: Properties | undefined;
  readonly max?: number;
}

/** Returns why properties violate the root of a schema, as `findInvalidValues` does. Null counts as an empty object. */
export function findInvalidProperties(
  root: PropertyRule,
  properties: Properties,
  { former, ...options }: PropertiesOptions = {},
): readonly FieldError[] {
  const value = JSON.parse(markInexactNumbers(properties ?? "{}"));
  const found = findInvalidValues(root, value, options);
  if (former === undefined || found.length === 0) return found;
  const [current, before] = [properties, former].map((text) => Object(parseExactly(text ?? "{}")));
  const isChecked = (name: string) => !isDeepStrictEqual(current[`s${name}`], before[`s${name}`]);
  return findInvalidValues(root, value, { ...options, isChecked });
}

interface FindOptions {
  /** Which members of the value are checked; all by default. */
  readonly isChecked?: (name: string) => boolean;
  /** Maximum number of findings, at which the check ends. */
  readonly max?: number;
}

/**
 * Returns why a value violates a rule, by path. Takes time linear in the value: no keyword compares one part of it with another.
 * @param value numbers that a 64-bit float does not keep are Infinity, and violate every rule
 */
export function findInvalidValues(
  rule: PropertyRule,
  value: JsonValue,
  { isChecked, max = MAX_FIELD_ERRORS }: FindOptions = {},
): readonly FieldError[] {
  const check = new Check(max);
  check.value(rule, value, isChecked);
  return check.findings;
}

const MAX_NAME_LENGTH = 255;
/** Maximum number of allowed values that an error lists, and of their characters. */
const MAX_LISTED = { values: 10, characters: 200 };

class Check {
  readonly findings: FieldError[] = [];
  /** Path of the current value. */
  readonly #path: string[] = [];

  constructor(private readonly max: number) {}

  value(rule: PropertyRule, value: JsonValue, isChecked?: (name: string) => boolean): void {
    const { types } = rule;
    if (typeof value === "number" && !Number.isFinite(value)) {
      this.#add("must be a number that a 64-bit float keeps");
    } else if (types && !types.some((type) => hasType(value, type))) {
      this.#add(`must be ${types.map((type) => PROPERTY_TYPES[type]).join(" or ")}`);
    } else {
      this.#allowed(rule, value);
      if (typeof value === "number")
        this.#range(value, [rule.minimum, rule.maximum], (bound) => `be ${bound}`);
      else if (typeof value === "string") this.#text(rule, value);
      else if (Array.isArray(value)) this.#list(rule, value);
      else if (isJsonObject(value)) this.#members(rule, value, isChecked);
    }
  }

  #allowed(rule: PropertyRule, value: JsonValue): void {
    if (rule.enum === undefined && rule.const === undefined) return;
    const key = valueKey(value);
    if (rule.const !== undefined && key !== rule.const) this.#add(mustBeOneOf(new Set([rule.const])));
    if (rule.enum && !rule.enum.has(key)) this.#add(mustBeOneOf(rule.enum));
  }

  #text({ minLength, maxLength, format }: PropertyRule, value: string): void {
    if (minLength !== undefined || maxLength !== undefined)
      this.#range([...value].length, [minLength, maxLength], (bound) => `have ${bound} characters`);
    if (format && !PROPERTY_FORMATS[format].isValid(value))
      this.#add(`must be ${PROPERTY_FORMATS[format].rule}`);
  }

  #list({ minItems, maxItems, items }: PropertyRule, value: readonly JsonValue[]): void {
    this.#range(value.length, [minItems, maxItems], (bound) => `have ${bound} items`);
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (this.#isFull) return;
      this.#within(String(index), () => this.value(items, item));
    }
  }

  #members(rule: PropertyRule, value: JsonObject, isChecked: (name: string) => boolean = () => true): void {
    for (const name of rule.required ?? []) {
      if (this.#isFull) return;
      if (!Object.hasOwn(value, name) && isChecked(name)) this.#within(name, () => this.#add("is required"));
    }
    const { additionalProperties: others = true } = rule;
    if (!rule.properties && others === true) return;
    for (const [name, member] of Object.entries(value)) {
      if (this.#isFull) return;
      if (!isChecked(name)) continue;
      const memberRule = rule.properties?.get(name) ?? others;
      if (memberRule === false) this.#within(name, () => this.#add("is not in the schema for properties"));
      else if (memberRule !== true) this.#within(name, () => this.value(memberRule, member));
    }
  }

  #range(
    actual: number,
    [min, max]: readonly [number | undefined, number | undefined],
    describe: (bound: string) => string,
  ): void {
    if (min !== undefined && actual < min) this.#add(`must ${describe(`at least ${min}`)}`);
    if (max !== undefined && actual > max) this.#add(`must ${describe(`at most ${max}`)}`);
  }

  get #isFull(): boolean {
    return this.findings.length >= this.max;
  }

  #within(name: string, check: () => void): void {
    this.#path.push(name);
    check();
    this.#path.pop();
  }

  #add(message: string): void {
    if (this.#isFull) return;
    // A path repeats the names around a value, so long ones would multiply.
    const field = this.#path.map((name) =>
      name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`,
    );
    this.findings.push({ field, message });
  }
}

function hasType(value: JsonValue, type: PropertyType): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}

function mustBeOneOf(allowed: ReadonlySet<string>): string {
  const text = allowed.size <= MAX_LISTED.values ? [...allowed].join(", ") : "";
  if (text === "" || text.length > MAX_LISTED.characters)
    return `must be one of the ${allowed.size} values that the schema allows`;
  return allowed.size === 1 ? `must be ${text}` : `must be one of ${text}`;
}
