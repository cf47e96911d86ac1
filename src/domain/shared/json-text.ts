import { printParseErrorCode, visit } from "jsonc-parser";
import { DomainError } from "./errors.js";
import { markInexactNumbers } from "./json-number.js";

/** A JSON value and its source text. */
export interface ParsedJson {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Parses UTF-8 bytes as JSON.
 * @param what subject of error messages: "The body"
 * @throws DomainError `invalid_json` with line and column (both from 1) of the first syntax error
 */
export function parseJsonBytes(bytes: Uint8Array, what: string): ParsedJson {
  const text = decode(decoder, bytes, what);
  return { value: parseJsonPart(text, what), text };
}

/** Parses JSON text. Numbers that JavaScript does not keep become Infinity. @throws DomainError `invalid_json`, as `parseJsonBytes` does */
export function parseJsonPart(text: string, what: string): unknown {
  try {
    return JSON.parse(markInexactNumbers(text));
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid JSON: ${describeSyntaxError(text)}.`, {
      cause,
    });
  }
}

/** Decodes UTF-8 bytes without parsing them; keeps a byte order mark. @throws DomainError `invalid_json` */
export function decodeText(bytes: Uint8Array, what: string): string {
  return decode(exactDecoder, bytes, what);
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const exactDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(decoder: typeof exactDecoder, bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid UTF-8 text.`, { cause });
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
  readonly offset: number;

  constructor(code: string, offset: number) {
    super(code);
    this.offset = offset;
  }
}

function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
