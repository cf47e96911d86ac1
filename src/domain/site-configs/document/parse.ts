import { printParseErrorCode, visit } from "jsonc-parser";
import type { FindingCollector, FindingPlace } from "../findings.js";
import { LineIndex } from "./line-index.js";
import { type ConfigMember, type ConfigNode, MAX_LEVELS, pointerTo, quote, TOO_DEEP } from "./tree.js";

/**
 * Returns whether a number keeps its value when read as a 64-bit float: fractions may be rounded, integers must keep all digits.
 * @param source the number's source text
 * @param value the number as a finite float
 */
function isExactNumber(source: string, value: number): boolean {
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return true;
  // JavaScript prints 2^64 as 18446744073709552000 and parses that to the same value. Finite numbers have at most 309 digits here.
  return source === String(value) || BigInt(source) === BigInt(value);
}

interface OpenObject {
  readonly place: FindingPlace;
  readonly members: Map<string, ConfigMember>;
  key: { readonly name: string; readonly offset: number } | null;
}

interface OpenArray {
  readonly place: FindingPlace;
  readonly items: ConfigNode[];
}

/** Builds a tree from parser events, and finds duplicate keys and trailing commas. */
class ConfigTreeBuilder {
  readonly #findings: FindingCollector;
  readonly #open: (OpenObject | OpenArray)[] = [];
  #root: ConfigNode | null = null;
  #lastComma: number | null = null;

  constructor(findings: FindingCollector) {
    this.#findings = findings;
  }

  get root(): ConfigNode | null {
    return this.#root;
  }

  /** The innermost open object or array. */
  get container(): FindingPlace {
    return this.#open.at(-1)?.place ?? { pointer: "", offset: 0 };
  }

  /** The pointer of the next value, or of the open object if a key is expected. */
  get pointer(): string {
    const open = this.#open.at(-1);
    if (!open) return "";
    if ("items" in open) return pointerTo(open.place.pointer, open.items.length);
    return open.key ? pointerTo(open.place.pointer, open.key.name) : open.place.pointer;
  }

  /** Returns whether the expected key or value may begin with this character. */
  expects(character: string): boolean {
    const open = this.#open.at(-1);
    return open !== undefined && ("items" in open ? /["{[\dtfn-]/ : /"/).test(character);
  }

  /** @returns false if the object is too deep */
  beginObject(offset: number): boolean {
    this.#open.push({ place: { pointer: this.pointer, offset }, members: new Map(), key: null });
    this.#lastComma = null;
    return this.#open.length <= MAX_LEVELS;
  }

  /** @returns false if the array is too deep */
  beginArray(offset: number): boolean {
    this.#open.push({ place: { pointer: this.pointer, offset }, items: [] });
    this.#lastComma = null;
    return this.#open.length <= MAX_LEVELS;
  }

  key(name: string, offset: number): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (!open || "items" in open) return;
    open.key = { name, offset };
    if (open.members.has(name)) {
      const message = () => `The object has the key ${quote(name)} more than once; remove the duplicates.`;
      this.#findings.add("duplicate_key", { pointer: this.pointer, offset }, message);
    }
  }

  literal(value: unknown, offset: number): void {
    if (typeof value === "string") this.#put({ type: "string", offset, value });
    else if (value === null) this.#put({ type: "null", offset });
    else this.#put({ type: typeof value === "boolean" ? "boolean" : "number", offset });
  }

  separator(character: string, offset: number): void {
    if (character === ",") this.#lastComma = offset;
  }

  /** Closes the innermost object or array. */
  end(): void {
    const open = this.#open.at(-1);
    if (!open) return;
    const { pointer, offset } = open.place;
    if (this.#lastComma !== null) {
      const message = `A comma is not allowed before a closing ${"items" in open ? "]" : "}"}.`;
      this.#findings.add("trailing_comma", { pointer, offset: this.#lastComma }, message);
    }
    this.#open.pop();
    if ("items" in open) this.#put({ type: "array", offset, items: open.items });
    else this.#put({ type: "object", offset, members: open.members });
  }

  #put(node: ConfigNode): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (!open) {
      this.#root = node;
    } else if ("items" in open) {
      open.items.push(node);
    } else if (open.key) {
      open.members.set(open.key.name, { offset: open.key.offset, value: node });
      open.key = null;
    }
  }
}

/**
 * Parses strict JSON.
 * @returns the tree, even with findings for unambiguous errors such as a comment; otherwise null
 */
export function treeOfText(text: string, findings: FindingCollector): ConfigNode | null {
  const parse = new StrictParse(text, findings);
  const { builder } = parse;
  try {
    visit(
      text,
      {
        onObjectBegin: (offset) => parse.requireLevel(builder.beginObject(offset), offset),
        onObjectProperty: (key, offset) => builder.key(key, offset),
        onObjectEnd: (offset) => parse.close("}", offset),
        onArrayBegin: (offset) => parse.requireLevel(builder.beginArray(offset), offset),
        onArrayEnd: (offset) => parse.close("]", offset),
        onLiteralValue: (value: unknown, offset, length) => parse.literal(value, offset, length),
        onSeparator: (character, offset) => builder.separator(character, offset),
        onError: (error, offset, length) => parse.reportError(printParseErrorCode(error), offset, length),
      },
      // The tree builder reports trailing commas; the parser would report them twice.
      { disallowComments: true, allowTrailingComma: true },
    );
  } catch (error) {
    if (error instanceof ParsingStopped) return null;
    throw error;
  }
  return parse.hasInvalidString ? null : builder.root;
}

/** Stops the parser at an error that makes all later findings unreliable, and before it recurses too deeply. */
class ParsingStopped extends Error {
  override readonly name = "ParsingStopped";
}

type ParseErrorName = ReturnType<typeof printParseErrorCode>;

/** After these errors the parser position is known, but not the value of the string. */
const STRING_ERRORS: ReadonlySet<ParseErrorName> = new Set([
  "InvalidEscapeCharacter",
  "InvalidUnicode",
  "InvalidCharacter",
]);

class StrictParse {
  readonly builder: ConfigTreeBuilder;
  /** Whether a string of the tree has an unknown value. */
  hasInvalidString = false;
  readonly #text: string;
  readonly #findings: FindingCollector;

  constructor(text: string, findings: FindingCollector) {
    this.builder = new ConfigTreeBuilder(findings);
    this.#text = text;
    this.#findings = findings;
  }

  requireLevel(allowed: boolean, offset: number): void {
    if (allowed) return;
    this.#findings.add("too_deep", { pointer: this.builder.container.pointer, offset }, TOO_DEEP);
    throw new ParsingStopped();
  }

  literal(value: unknown, offset: number, length: number): void {
    if (typeof value === "number") {
      this.#checkNumber(value, offset, this.#text.slice(offset, offset + length));
    }
    this.builder.literal(value, offset);
  }

  close(bracket: string, offset: number): void {
    if (this.#text[offset] === bracket) {
      this.builder.end();
      return;
    }
    const { pointer, offset: start } = this.builder.container;
    const { line, column } = new LineIndex(this.#text).positionOf(start);
    const opening = `the ${quote(this.#text.slice(start, start + 1))} at line ${line}, column ${column}`;
    const message = `The ${quote(bracket)} that closes ${opening} is missing.`;
    this.#findings.add("invalid_json", { pointer, offset: this.#visibleOffset(offset) }, message);
    throw new ParsingStopped();
  }

  reportError(name: ParseErrorName, offset: number, length: number): void {
    const place = { pointer: this.builder.pointer, offset: this.#visibleOffset(offset) };
    const token = this.#text.slice(offset, offset + length);
    if (name === "InvalidCommentToken") {
      this.#findings.add("json_comment", place, "JSON does not allow comments. Remove the comment.");
    } else if (name === "CommaExpected" && this.#isNext(offset)) {
      this.#findings.add("invalid_json", place, "A comma is missing before this.");
    } else {
      this.#findings.add("invalid_json", place, explain(name, token));
      if (!STRING_ERRORS.has(name)) throw new ParsingStopped();
      this.hasInvalidString = true;
    }
    if (this.#findings.hasMaxErrors) throw new ParsingStopped();
  }

  #checkNumber(value: number, offset: number, source: string): void {
    const place = { pointer: this.builder.pointer, offset };
    if (!Number.isFinite(value)) {
      const message = `The number ${quote(source)} exceeds the range of a 64-bit float. Use a smaller number or a string.`;
      this.#findings.add("number_too_large", place, message);
    } else if (!isExactNumber(source, value)) {
      const message = `Most programs read another value than written here, for example ${value} in JavaScript. Use a string to keep all digits.`;
      this.#findings.add("inexact_number", place, message);
    }
  }

  /** Moves an offset at the end of the text to the end of its last word, not to an empty line after it. */
  #visibleOffset(offset: number): number {
    return offset < this.#text.length ? offset : this.#text.trimEnd().length;
  }

  /** Returns whether the next token is a key or value, not the rest of a number that begins with 0. */
  #isNext(offset: number): boolean {
    return (
      this.builder.expects(this.#text[offset] ?? "") && !/\d\d/.test(this.#text.slice(offset - 1, offset + 1))
    );
  }
}

function explain(error: ParseErrorName, token: string): string {
  const found = token === "" ? "the end of the text" : quote(token);
  switch (error) {
    case "InvalidSymbol":
      return token.startsWith("'")
        ? "Strings and keys must be in double quotes."
        : `${found} is not valid JSON: strings and keys must be in double quotes; other values are true, false, null and numbers.`;
    case "InvalidEscapeCharacter":
      return "The string contains an invalid escape sequence; write a literal backslash as two.";
    case "InvalidUnicode":
      return "\\u must be followed by four hexadecimal digits.";
    case "InvalidCharacter":
      return "The string contains a control character; escape it.";
    case "UnexpectedEndOfString":
      return "The string has no closing quote on its line.";
    case "UnexpectedEndOfNumber":
    case "InvalidNumberFormat":
      return `${found} is not a number.`;
    case "PropertyNameExpected":
      return `Expected a key in double quotes, found ${found}.`;
    case "ValueExpected":
      return `Expected a value, found ${found}.`;
    case "ColonExpected":
      return `Expected a colon after the key, found ${found}.`;
    case "CommaExpected":
      return /^\d/.test(token)
        ? "A number must not have leading zeros."
        : `Expected a comma or a closing bracket, found ${found}.`;
    case "EndOfFileExpected":
      return `Expected the end of the text after the value, found ${found}.`;
    default:
      return `${found} is not valid JSON here.`;
  }
}
