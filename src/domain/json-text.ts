import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { DomainError } from "./errors.js";

/**
 * Reads a request body as JSON.
 * @throws DomainError `invalid_json` with line and column (both from 1) of the first fault
 */
export function parseJsonText(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError("invalid_json", `The body is not valid JSON: ${describeFault(text)}.`, { cause });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new DomainError("invalid_json", "The body is not valid UTF-8 text.", { cause });
  }
}

function describeFault(text: string): string {
  // JSON.parse tells no dependable position, so a second parser, which does, looks once more at what it refused.
  const faults: ParseError[] = [];
  try {
    parse(text, faults, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
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
