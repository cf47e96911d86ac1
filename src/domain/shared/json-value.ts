import { type FieldPath, invalidField } from "./errors.js";
import { isObject, type JsonObject, type JsonValue } from "./json.js";
import { requireStorable } from "./text-field.js";

interface JsonValueRules {
  /** Maximum nesting depth, the value itself being level 1. Default: the depth that recursion handles safely. */
  readonly maxDepth?: number;
  /** Whether keys and strings must be storable in PostgreSQL. */
  readonly storable: boolean;
  /** The advice for a number that a 64-bit float does not keep. */
  readonly numberAdvice?: string;
}

/** `JSON.parse` accepts any depth, but recursion overflows the stack at little more than a thousand levels. */
const SAFE_DEPTH = 500;

/**
 * Validates and copies a JSON value of unknown origin.
 * @throws DomainError `invalid_field` with the invalid path: for values that are not JSON, numbers that lost precision, if
 * `markInexactNumbers` marked them, and violations of the rules
 */
export function parseJsonValue(value: unknown, field: FieldPath, rules: JsonValueRules): JsonValue {
  return new JsonValueParser(field, rules).parse(value);
}

/** Validates and copies an object as `parseJsonValue` does. */
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
  readonly #numberAdvice: string;
  readonly #outer: number;
  /** Path of the current value. Shared, because copying it for each value would cost its depth. */
  readonly #path: string[];

  constructor(field: FieldPath, rules: JsonValueRules) {
    const { maxDepth = SAFE_DEPTH, storable, numberAdvice = "send it as a string" } = rules;
    this.#maxDepth = maxDepth;
    this.#storable = storable;
    this.#numberAdvice = numberAdvice;
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
      this.#requireExact(value);
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
    // Unlike assignment, this also creates an own property for the key `__proto__`.
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

  #requireExact(value: number): void {
    // 1e999, and numbers marked by `markInexactNumbers`.
    if (!Number.isFinite(value))
      throw invalidField(this.#path, `must be a number that a 64-bit float keeps; ${this.#numberAdvice}`);
  }
}
