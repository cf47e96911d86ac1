import { isObject, type JsonValue } from "../../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "../site-config.js";

/** The maximum that `JSON.stringify` supports. */
const MAX_UNIT_LENGTH = 10;

/** Formats a document: indented by two spaces if the result is small enough to store, otherwise on one line. */
export function printDocument(document: JsonValue): string {
  const compact = JSON.stringify(document);
  const indented = Buffer.byteLength(compact) + spaceOf(document, 1, 2) + 1;
  return indented <= MAX_SITE_CONFIG_BYTES ? `${JSON.stringify(document, null, 2)}\n` : compact;
}

/** The line breaks and indentation of a JSON text. */
export class TextLayout {
  /** Null if the text is on one line. */
  readonly #newline: string | null;
  readonly #unit: string;
  #room: number;

  /** @param room maximum characters of white space to write: the indentation of deep values could be a thousand times their size */
  constructor(text: string, room: number) {
    const json = text.trim();
    this.#newline = /\r\n|[\r\n]/.exec(json)?.[0] ?? null;
    this.#unit = /[\r\n]([ \t]+)[^ \t\r\n]/.exec(json)?.[1]?.slice(0, MAX_UNIT_LENGTH) ?? "";
    this.#room = room;
  }

  /** Formats a value like the text, or on one line if there is no room. @param indentation of the line in which it begins */
  print(value: JsonValue, indentation: string): string {
    if (this.#newline === null) return JSON.stringify(value);
    const line = `${this.#newline}${indentation}`;
    const unit = this.#unit || "\t";
    if (!this.#take(spaceOf(value, line.length, unit.length))) return JSON.stringify(value);
    return JSON.stringify(value, null, unit).replace(this.#unit ? /\n/g : /\n\t*/g, line);
  }

  /** Returns a line break with indentation, or nothing if there is no room. */
  newLine(indentation: string): string {
    const line = `${this.#newline ?? ""}${indentation}`;
    return this.#take(line.length) ? line : "";
  }

  #take(space: number): boolean {
    if (space > this.#room) return false;
    this.#room -= space;
    return true;
  }
}

/**
 * Returns the number of white-space characters that indentation adds to a value, without formatting it.
 * @param line length of the line break and indentation of the line in which the value begins
 * @param unit length of one indentation level
 */
function spaceOf(value: JsonValue, line: number, unit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  const items = Object.values<JsonValue>(value);
  if (items.length === 0) return 0;
  const inner = line + unit;
  const colons = isObject(value) ? items.length : 0;
  return items.reduce<number>((sum, item) => sum + inner + spaceOf(item, inner, unit), line + colons);
}
