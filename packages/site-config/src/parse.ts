import { printParseErrorCode, visit } from "jsonc-parser";
import { type FindingCollector, LineCounter } from "./findings.js";
import { type ConfigMember, type ConfigNode, MAX_LEVELS, pointerTo, quote, TOO_DEEP } from "./tree.js";

/**
 * Parses strict JSON.
 * @returns the tree, even with findings for unambiguous errors such as a comment; otherwise null
 */
export function treeOfText(text: string, findings: FindingCollector): ConfigNode | null {
  const parser = new StrictParser(text, findings);
  try {
    visit(
      text,
      {
        onObjectBegin: (offset) => parser.begin({ type: "object", offset, members: new Map() }),
        onObjectProperty: (key, offset) => parser.key(key, offset),
        onObjectEnd: (offset) => parser.end("}", offset),
        onArrayBegin: (offset) => parser.begin({ type: "array", offset, items: [] }),
        onArrayEnd: (offset) => parser.end("]", offset),
        onLiteralValue: (value: unknown, offset, length) => parser.literal(value, offset, length),
        onSeparator: (character, offset) => parser.separator(character, offset),
        onError: (error, offset, length) => parser.error(printParseErrorCode(error), offset, length),
      },
      // The tree builder reports trailing commas; the parser would report them twice.
      { disallowComments: true, allowTrailingComma: true },
    );
  } catch (error) {
    if (error instanceof ParsingStopped) return null;
    throw error;
  }
  return parser.hasInvalidString ? null : parser.root;
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

/** An object or array whose end is not reached. */
interface OpenNode {
  readonly pointer: string;
  readonly node:
    | { readonly type: "object"; readonly offset: number; readonly members: Map<string, ConfigMember> }
    | { readonly type: "array"; readonly offset: number; readonly items: ConfigNode[] };
  /** The key whose value comes next. */
  key: { readonly name: string; readonly offset: number } | null;
}

/** Builds a tree from parser events, and finds errors. */
class StrictParser {
  root: ConfigNode | null = null;
  /** Whether a string of the tree has an unknown value. */
  hasInvalidString = false;
  readonly #open: OpenNode[] = [];
  #lastComma: number | null = null;

  constructor(
    private readonly text: string,
    private readonly findings: FindingCollector,
  ) {}

  /** The pointer of the next value, or of the open object if a key is expected. */
  get #pointer(): string {
    const open = this.#open.at(-1);
    if (!open) return "";
    if (open.node.type === "array") return pointerTo(open.pointer, open.node.items.length);
    return open.key ? pointerTo(open.pointer, open.key.name) : open.pointer;
  }

  begin(node: OpenNode["node"]): void {
    const pointer = this.#pointer;
    this.#put(node);
    this.#open.push({ pointer, node, key: null });
    if (this.#open.length <= MAX_LEVELS) return;
    this.findings.add("too_deep", { pointer, offset: node.offset }, TOO_DEEP);
    throw new ParsingStopped();
  }

  key(name: string, offset: number): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (open?.node.type !== "object") return;
    open.key = { name, offset };
    if (open.node.members.has(name)) {
      const message = () => `The object has the key ${quote(name)} more than once; remove the duplicates.`;
      this.findings.add("duplicate_key", { pointer: this.#pointer, offset }, message);
    }
  }

  literal(value: unknown, offset: number, length: number): void {
    if (typeof value === "number") {
      this.#checkNumber(value, offset, this.text.slice(offset, offset + length));
    }
    if (typeof value === "string") this.#put({ type: "string", offset, value });
    else if (value === null) this.#put({ type: "null", offset });
    else this.#put({ type: typeof value === "boolean" ? "boolean" : "number", offset });
  }

  separator(character: string, offset: number): void {
    if (character === ",") this.#lastComma = offset;
  }

  /** Closes the innermost object or array. */
  end(bracket: string, offset: number): void {
    const { pointer = "", node } = this.#open.at(-1) ?? {};
    if (this.text[offset] !== bracket) {
      const start = node?.offset ?? 0;
      const { line, column } = new LineCounter(this.text).positionOf(start);
      const opening = `the ${quote(this.text.slice(start, start + 1))} at line ${line}, column ${column}`;
      const message = `The ${quote(bracket)} that closes ${opening} is missing.`;
      this.findings.add("invalid_json", { pointer, offset: this.#visibleOffset(offset) }, message);
      throw new ParsingStopped();
    }
    if (this.#lastComma !== null) {
      const message = `A comma is not allowed before a closing ${bracket}.`;
      this.findings.add("trailing_comma", { pointer, offset: this.#lastComma }, message);
    }
    this.#lastComma = null;
    this.#open.pop();
  }

  error(name: ParseErrorName, offset: number, length: number): void {
    const place = { pointer: this.#pointer, offset: this.#visibleOffset(offset) };
    const token = this.text.slice(offset, offset + length);
    if (name === "InvalidCommentToken") {
      this.findings.add("json_comment", place, "JSON does not allow comments. Remove the comment.");
    } else if (name === "CommaExpected" && this.#isNext(offset)) {
      this.findings.add("invalid_json", place, "A comma is missing before this.");
    } else {
      const found = token === "" ? "the end of the text" : quote(token);
      const message = EXPLANATIONS[name]?.(found, token) ?? `${found} is not valid JSON here.`;
      this.findings.add("invalid_json", place, message);
      if (!STRING_ERRORS.has(name)) throw new ParsingStopped();
      this.hasInvalidString = true;
    }
    if (this.findings.hasMaxErrors) throw new ParsingStopped();
  }

  #put(node: ConfigNode): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (!open) this.root = node;
    else if (open.node.type === "array") open.node.items.push(node);
    else if (open.key) {
      open.node.members.set(open.key.name, { offset: open.key.offset, value: node });
      open.key = null;
    }
  }

  #checkNumber(value: number, offset: number, source: string): void {
    const place = { pointer: this.#pointer, offset };
    if (!Number.isFinite(value)) {
      const message = `The number ${quote(source)} exceeds the range of a 64-bit float. Use a smaller number or a string.`;
      this.findings.add("number_too_large", place, message);
    } else if (!isExactNumber(source, value)) {
      const message = `Most programs read another value than written here, for example ${value} in JavaScript. Use a string to keep all digits.`;
      this.findings.add("inexact_number", place, message);
    }
  }

  /** Moves an offset at the end of the text to the end of its last word, not to an empty line after it. */
  #visibleOffset(offset: number): number {
    return offset < this.text.length ? offset : this.text.trimEnd().length;
  }

  /** Returns whether the next token is an expected key or value, not the rest of a number that begins with 0. */
  #isNext(offset: number): boolean {
    const open = this.#open.at(-1);
    const expected = open?.node.type === "array" ? /["{[\dtfn-]/ : /"/;
    return (
      open !== undefined &&
      expected.test(this.text[offset] ?? "") &&
      !/\d\d/.test(this.text.slice(offset - 1, offset + 1))
    );
  }
}

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

type Explanation = (found: string, token: string) => string;

const notNumber: Explanation = (found) => `${found} is not a number.`;

/** Messages by error of the parser. */
const EXPLANATIONS: Partial<Readonly<Record<ParseErrorName, Explanation>>> = {
  InvalidSymbol: (found, token) =>
    token.startsWith("'")
      ? "Strings and keys must be in double quotes."
      : `${found} is not valid JSON: strings and keys must be in double quotes; other values are true, false, null and numbers.`,
  InvalidEscapeCharacter: () =>
    "The string contains an invalid escape sequence; write a literal backslash as two.",
  InvalidUnicode: () => "\\u must be followed by four hexadecimal digits.",
  InvalidCharacter: () => "The string contains a control character; escape it.",
  UnexpectedEndOfString: () => "The string has no closing quote on its line.",
  UnexpectedEndOfNumber: notNumber,
  InvalidNumberFormat: notNumber,
  PropertyNameExpected: (found) => `Expected a key in double quotes, found ${found}.`,
  ValueExpected: (found) => `Expected a value, found ${found}.`,
  ColonExpected: (found) => `Expected a colon after the key, found ${found}.`,
  CommaExpected: (found, token) =>
    /^\d/.test(token)
      ? "A number must not have leading zeros."
      : `Expected a comma or a closing bracket, found ${found}.`,
  EndOfFileExpected: (found) => `Expected the end of the text after the value, found ${found}.`,
};
