import { type FieldPath, invalidField } from "../shared/errors.js";
import { FieldErrors } from "../shared/field-parsing.js";
import { isJsonObject, isObject, type JsonValue, memberOf } from "../shared/json.js";
import { parseJsonObject } from "../shared/json-value.js";
import { MAX_PROPERTIES_DEPTH } from "./properties.js";
import { isPropertyFormat, PROPERTY_FORMATS, type PropertyFormat } from "./property-formats.js";
import {
  findInvalidValues,
  PROPERTY_TYPES,
  type PropertyRule,
  type PropertyType,
  valueKey,
} from "./property-rules.js";

/** Limits of a schema for properties: its JSON text, its rules, and how deep they are nested, the root being level 1. */
export const MAX_SCHEMA_BYTES = 16 * 1024;
export const MAX_SCHEMA_RULES = 1000;
export const MAX_SCHEMA_LEVELS = MAX_PROPERTIES_DEPTH + 1;
/** Each level of rules has two of JSON, and the innermost may have a value such as a default. */
const MAX_JSON_DEPTH = 2 * MAX_SCHEMA_LEVELS + MAX_PROPERTIES_DEPTH;

/** `OFF`: nothing is checked. `WARN`: invalid properties are written and counted. `ENFORCE`: they are refused. */
export const SCHEMA_MODES = ["OFF", "WARN", "ENFORCE"] as const;

export type SchemaMode = (typeof SCHEMA_MODES)[number];

/** A schema as it is stored, and its checked form. */
export interface ParsedSchema {
  /** JSON text without insignificant white space. */
  readonly text: string;
  readonly root: PropertyRule;
}

/**
 * Validates a JSON Schema for properties. It may have only keywords that take little time and memory, so that no pattern or recursion of a
 * tenant can block the service.
 * @throws DomainError `invalid_field` with every invalid path: an unknown keyword or format, a number that a 64-bit float does not keep, an
 *   exceeded limit
 */
export function parsePropertySchema(value: unknown, field: FieldPath): ParsedSchema {
  if (!isObject(value)) throw invalidField(field, "must be a JSON object or null");
  const numberAdvice = "use one with fewer digits";
  const schema = parseJsonObject(value, field, { maxDepth: MAX_JSON_DEPTH, storable: true, numberAdvice });
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES)
    throw invalidField(field, `must be at most ${MAX_SCHEMA_BYTES} bytes of JSON`);
  const parser = new SchemaParser();
  const root = parser.parse(schema, field, 1);
  if (schema["type"] !== "object") parser.errors.add([...field, "type"], "must be `object`");
  parser.errors.throwIfAny();
  return { text, root };
}

class SchemaParser {
  readonly errors = new FieldErrors("invalid_field");
  #rules = 0;

  parse(schema: JsonValue, path: FieldPath, level: number): PropertyRule {
    if (!isJsonObject(schema)) throw invalidField(path, "must be a JSON object");
    this.#rules += 1;
    if (this.#rules > MAX_SCHEMA_RULES)
      throw invalidField(path, `is one rule too many: a schema has at most ${MAX_SCHEMA_RULES}`);
    if (level > MAX_SCHEMA_LEVELS)
      throw invalidField(path, `must be nested at most ${MAX_SCHEMA_LEVELS} levels deep`);
    const known = new Set<string>();
    const read = <Value>(keyword: string, parse: (value: JsonValue, path: FieldPath) => Value) => {
      known.add(keyword);
      const value = memberOf(schema, keyword);
      return value === undefined ? undefined : this.errors.collect(() => parse(value, [...path, keyword]));
    };
    const inner = (value: JsonValue, path: FieldPath) => this.parse(value, path, level + 1);
    for (const annotation of ["title", "description"]) read(annotation, parseString);
    read("deprecated", parseBoolean);
    read("examples", parseList);
    const rule: PropertyRule = {
      types: read("type", parseTypes),
      enum: read("enum", (value, path) => new Set(parseFilledList(value, path).map(valueKey))),
      const: read("const", valueKey),
      minimum: read("minimum", parseNumber),
      maximum: read("maximum", parseNumber),
      minLength: read("minLength", parseCount),
      maxLength: read("maxLength", parseCount),
      minItems: read("minItems", parseCount),
      maxItems: read("maxItems", parseCount),
      format: read("format", parseFormat),
      items: read("items", inner),
      properties: read("properties", (value, path) => {
        if (!isJsonObject(value)) throw invalidField(path, "must be a JSON object");
        const rules = Object.entries(value).map(([name, each]) => {
          const field = [...path, name];
          return [name, this.errors.collect(() => inner(each, field)) ?? {}] as const;
        });
        return new Map(rules);
      }),
      required: read("required", (value, path) =>
        unique(parseList(value, path).map((name, index) => parseString(name, [...path, String(index)]))),
      ),
      additionalProperties: read("additionalProperties", (value, path) =>
        typeof value === "boolean" ? value : inner(value, path),
      ),
      default: read("default", (value) => value),
    };
    for (const keyword of Object.keys(schema)) {
      if (!known.has(keyword))
        this.errors.add([...path, keyword], `is not supported; supported are ${[...known].join(", ")}`);
    }
    if (rule.default !== undefined) {
      for (const { field, message } of findInvalidValues(rule, rule.default))
        this.errors.add([...path, "default", ...field], message);
    }
    return rule;
  }
}

function parseString(value: JsonValue, path: FieldPath): string {
  if (typeof value === "string") return value;
  throw invalidField(path, "must be a string");
}

function parseBoolean(value: JsonValue, path: FieldPath): boolean {
  if (typeof value === "boolean") return value;
  throw invalidField(path, "must be true or false");
}

function parseNumber(value: JsonValue, path: FieldPath): number {
  if (typeof value === "number") return value;
  throw invalidField(path, "must be a number");
}

function parseCount(value: JsonValue, path: FieldPath): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidField(path, "must be a whole number from 0");
}

function parseList(value: JsonValue, path: FieldPath): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw invalidField(path, "must be a list");
}

function parseFilledList(value: JsonValue, path: FieldPath): readonly JsonValue[] {
  const list = parseList(value, path);
  if (list.length > 0) return list;
  throw invalidField(path, "must not be empty");
}

function parseTypes(value: JsonValue, path: FieldPath): readonly PropertyType[] {
  const names = typeof value === "string" ? [value] : parseFilledList(value, path);
  const types = names.map((name) => {
    if (isPropertyType(name)) return name;
    throw invalidField(path, `must be one or a list of ${Object.keys(PROPERTY_TYPES).join(", ")}`);
  });
  return unique(types);
}

/** Repeated names would be compared with each value again. */
function unique<Name>(names: readonly Name[]): readonly Name[] {
  return [...new Set(names)];
}

function isPropertyType(name: JsonValue): name is PropertyType {
  return typeof name === "string" && Object.hasOwn(PROPERTY_TYPES, name);
}

function parseFormat(value: JsonValue, path: FieldPath): PropertyFormat {
  if (isPropertyFormat(value)) return value;
  throw invalidField(path, `must be one of ${Object.keys(PROPERTY_FORMATS).join(", ")}`);
}
