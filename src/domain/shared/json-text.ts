import { printParseErrorCode, visit } from "jsonc-parser";
import { DomainError } from "./errors.js";

/** A JSON value, and the text that it was parsed from. */
export interface ParsedJson {
  readonly value: unknown;
  readonly text: string;
}

/**
 * Reads bytes as JSON.
 * @param what names them in messages: "The body"
 * @throws DomainError `invalid_json` with line and column (both from 1) of the first fault
 */
export function parseJsonBytes(bytes: Uint8Array, what: string): ParsedJson {
  const text = decode(bytes, what);
  return { value: parseJsonPart(text, what), text };
}

/** Reads a part of a file as JSON. @throws as `parseJsonBytes` does */
export function parseJsonPart(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid JSON: ${describeFault(text)}.`, { cause });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_json", `${what} is not valid UTF-8 text.`, { cause });
  }
}

function describeFault(text: string): string {
  // JSON.parse gives no reliable position, so a second parser, which does, reads the text again up to its first error.
  let fault: Fault | undefined;
  try {
    visit(
      text,
      {
        onError(error, offset) {
          throw new Fault(printParseErrorCode(error), offset);
        },
      },
      { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
    );
  } catch (error) {
    // The second parser recurses.
    if (error instanceof RangeError) return "it is nested too deeply to say where";
    if (!(error instanceof Fault)) throw error;
    fault = error;
  }
  const offset = fault?.offset ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `${fault ? words(fault.message) : "unexpected text"} at line ${line}, column ${column}`;
}

/** Ends the second parser at its first error. */
class Fault extends Error {
  readonly offset: number;

  constructor(code: string, offset: number) {
    super(code);
    this.offset = offset;
  }
}

function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
