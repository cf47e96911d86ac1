import { isDeepStrictEqual } from "node:util";
import { printParseErrorCode, visit } from "jsonc-parser";
import { DomainError } from "./errors.js";

/** Maximum nesting depth of a request body: that of a site configuration and of the objects around it. */
export const MAX_BODY_LEVELS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Any number, but in strings also some other text, with an exponent or more digits than a float certainly keeps. */
const SUSPICIOUS = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/** The closing quote is optional: a pattern that can fail inside a string would take exponential time. */
const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"?|-?\d[\d.eE+-]*/g;
/** Of `toPrecision`. */
const MAX_DIGITS = 100;

const decoder = new TextDecoder("utf-8", { fatal: true });
const exactDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 bytes. @param keepsMark whether to keep a byte order mark @throws DomainError `invalid_json` */
export function decodeText(bytes: Uint8Array, what: string, keepsMark = false): string {
  try {
    return (keepsMark ? exactDecoder : decoder).decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid UTF-8 text.`, { cause });
  }
}

/**
 * Parses JSON text. Numbers that JavaScript does not keep become Infinity.
 * @param what subject of error messages: "The body"
 * @throws DomainError `invalid_json` with line and column (both from 1) of the first syntax error
 */
export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(markInexactNumbers(text));
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid JSON: ${describeSyntaxError(text)}.`, {
      cause,
    });
  }
}

function describeSyntaxError(text: string): string {
  // JSON.parse reports no reliable position, so a second parser scans the text up to its first error.
  let syntaxError: JsonSyntaxError | undefined;
  try {
    visit(
      text,
      {
        onError(error, offset) {
          throw new JsonSyntaxError(printParseErrorCode(error), offset);
        },
      },
      { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
    );
  } catch (error) {
    // The second parser is recursive, so deep nesting overflows the stack.
    if (error instanceof RangeError) return "it is nested too deeply to locate the error";
    if (!(error instanceof JsonSyntaxError)) throw error;
    syntaxError = error;
  }
  const offset = syntaxError?.offset ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `${syntaxError ? words(syntaxError.message) : "unexpected text"} at line ${line}, column ${column}`;
}

/** Stops the second parser at its first error. */
class JsonSyntaxError extends Error {
  constructor(
    code: string,
    readonly offset: number,
  ) {
    super(code);
  }
}

function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

/** Returns whether a JSON text is nested deeper than `levels` objects and arrays. */
export function isNestedDeeper(text: Uint8Array, levels: number): boolean {
  // Each level takes at least one byte.
  if (text.length <= levels) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      depth += 1;
      if (depth > levels) return true;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * Replaces the numbers that a 64-bit float does not keep, or that have too many digits, by 1e999, which is parsed as Infinity and refused by `parseJsonValue`. JSON.parse
 * would round them without notice.
 */
export function markInexactNumbers(json: string): string {
  if (!SUSPICIOUS.test(json)) return json;
  return json.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || isExactNumber(token) ? token : "1e999",
  );
}

/** Returns the JSON text with strings of their digits in place of the numbers. */
export function quoteNumbers(json: string): string {
  return json.replaceAll(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`));
}

/** Limits of PostgreSQL's `numeric`, to which JSON numbers are converted for comparisons and filters. */
export const MAX_INTEGER_DIGITS = 131_072;
export const MAX_FRACTION_DIGITS = 16_383;

/** Returns whether a number has as many digits as PostgreSQL can hold, leading and trailing zeros included; true for text that is no number. */
export function isInRange(number: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  const shift = Number(exponent);
  return whole.length + shift <= MAX_INTEGER_DIGITS && fraction.length - shift <= MAX_FRACTION_DIGITS;
}

/** Returns whether a number can be stored and is kept by a 64-bit float; true for text that is no number. */
export function isExactNumber(number: string): boolean {
  return isInRange(number) && keepsDigits(number);
}

/** Returns whether a number is that of the nearest 64-bit float, written with as many digits; true for text that is no number. */
export function keepsDigits(number: string): boolean {
  const { digits, exponent } = toDecimal(number);
  if (digits === "") return true;
  if (digits.length > MAX_DIGITS) return false;
  const float = Number(number);
  // Halfway between two spellings, JavaScript writes numbers with the even digit, and rounds up to a precision.
  return [String(float), float.toPrecision(digits.length)].some((text) => {
    const kept = toDecimal(text);
    return kept.digits === digits && kept.exponent === exponent;
  });
}

/** Returns whether two JSON texts have equal values; numbers are compared exactly. */
export function isSameJson(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(parseExactly(one), parseExactly(other));
}

/** Parses a JSON text with strings in place of numbers, and the prefix `s` in all other strings, names included. */
export function parseExactly(json: string): unknown {
  const marked = json.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"')) return `"s${token.slice(1)}`;
    const { digits, exponent } = toDecimal(token);
    return digits === "" ? '"0"' : `"${token.startsWith("-") ? "-" : ""}${digits}e${exponent}"`;
  });
  return JSON.parse(marked);
}

/** Splits a number into its digits without outer zeros, and the power of ten of the last one. */
function toDecimal(number: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  // A pattern would take quadratic time for many zeros.
  while (digits[end - 1] === "0") end -= 1;
  return { digits: digits.slice(0, end), exponent: Number(exponent) - fraction.length + digits.length - end };
}
