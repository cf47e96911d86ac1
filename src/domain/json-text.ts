import { parse as findFaults, type ParseError, printParseErrorCode } from "jsonc-parser";
import { DomainError } from "./errors.js";

/**
 * Reads a request body as JSON.
 * @throws DomainError `invalid_json` with line and column (both from 1) of the first fault
 */
export function parseJsonText(bytes: Uint8Array): unknown {
  return parseJsonPart(decode(bytes, "The body"), "The body");
}

/** Reads a line of a file as JSON. @throws as `parseJsonText` does */
export function parseJsonLine(bytes: Uint8Array): unknown {
  return parseJsonPart(decode(bytes, "The line"), "The line");
}

/** Reads a part of a file as JSON. @param what names it @throws as `parseJsonText` does */
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
  // JSON.parse tells no dependable position, so a second parser, which does, looks once more at what it refused.
  const faults: ParseError[] = [];
  try {
    findFaults(text, faults, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  } catch (error) {
    // The second parser recurses.
    if (error instanceof RangeError) return "it is nested too deeply to say where";
    throw error;
  }
  const fault = faults[0];
  const offset = fault?.offset ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return `${fault ? words(printParseErrorCode(fault.error)) : "unexpected text"} at line ${line}, column ${column}`;
}

function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
