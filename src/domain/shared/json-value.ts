import { type FieldPath, invalidField } from "./errors.js";
import { isObject, type JsonObject, type JsonValue } from "./json.js";
import { requireStorable } from "./text-field.js";

export interface JsonValueRules {
  /** The most levels of objects and arrays, the value itself being the first; by default as many as can be walked safely. */
  readonly maxDepth?: number;
  /** Whether keys and strings must be text that PostgreSQL can hold. */
  readonly storable: boolean;
}

/** `JSON.parse` gives values of any depth, but the stack bears little more than a thousand levels of recursion. */
const SAFE_DEPTH = 500;

/**
 * Checks that a value of unknown origin is JSON, and copies it.
 * @throws DomainError `invalid_field` naming the faulty place, for what is no JSON value, a number that was probably another
 * one in the caller's text, and what the rules forbid
 */
export function parseJsonValue(value: unknown, field: FieldPath, rules: JsonValueRules): JsonValue {
  return new JsonValueParser(field, rules).parse(value);
}

/** Checks and copies an object as `parseJsonValue` does. */
export function parseJsonObject(
  value: Readonly<Record<string, unknown>>,
  field: FieldPath,
  rules: JsonValueRules,
): JsonObject {
  return new JsonValueParser(field, rules).parseObject(value);
}

class JsonValueParser {
  readonly #maxDepth: number;
  readonly #storable: boolean;
  readonly #outer: number;
  /** The place being parsed: one path for all, as a copy at each value would cost its depth. */
  readonly #path: string[];

  constructor(field: FieldPath, { maxDepth = SAFE_DEPTH, storable }: JsonValueRules) {
    this.#maxDepth = maxDepth;
    this.#storable = storable;
    this.#outer = field.length;
    this.#path = [...field];
  }

  parse(value: unknown): JsonValue {
    if (value === null || typeof value === "boolean") return value;
    if (typeof value === "string") {
      this.#requireText(value);
      return value;
    }
    if (typeof value === "number") {
      this.#requireKept(value);
      return value;
    }
    if (Array.isArray(value)) {
      this.#requireLevel();
      return value.map((item: unknown, index) => this.#parseChild(item, String(index)));
    }
    if (isObject(value)) return this.parseObject(value);
    throw invalidField(this.#path, "must be a JSON value");
  }

  parseObject(value: Readonly<Record<string, unknown>>): JsonObject {
    this.#requireLevel();
    const entries = Object.entries(value).map(([key, child]): [string, JsonValue] => {
      this.#requireText(key);
      return [key, this.#parseChild(child, key)];
    });
    // Unlike an assignment, this makes a property of the key `__proto__`, too.
    return Object.fromEntries(entries);
  }

  #parseChild(child: unknown, key: string): JsonValue {
    this.#path.push(key);
    const parsed = this.parse(child);
    this.#path.pop();
    return parsed;
  }

  #requireLevel(): void {
    if (this.#path.length - this.#outer < this.#maxDepth) return;
    throw invalidField(this.#path, `must be nested at most ${this.#maxDepth} levels deep`);
  }

  #requireText(text: string): void {
    if (this.#storable) requireStorable(text, this.#path);
  }

  #requireKept(value: number): void {
    // 1e999 is valid JSON, but becomes Infinity, which JSON cannot express on the way back.
    if (!Number.isFinite(value))
      throw invalidField(this.#path, "must be a number that a 64-bit float can hold");
    // Such a number was probably another one in the text: 2^53 + 1 is read as 2^53.
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21) {
      throw invalidField(
        this.#path,
        "must not be a whole number beyond 2^53, which would lose digits; send it as a string",
      );
    }
  }
}
