import { isObject, type JsonValue } from "../../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "../site-config.js";

/** `JSON.stringify` takes no more either. */
const LONGEST_UNIT = 10;

/** Writes a document as a text: indented by two spaces where such a text can be stored, else on one line. */
export function printDocument(document: JsonValue): string {
  const compact = JSON.stringify(document);
  const indented = Buffer.byteLength(compact) + spaceOf(document, 1, 2) + 1;
  return indented <= MAX_SITE_CONFIG_BYTES ? `${JSON.stringify(document, null, 2)}\n` : compact;
}

/** How a JSON text is broken into lines and indented. */
export class TextLayout {
  /** Null when the text is on one line. */
  readonly #newline: string | null;
  readonly #unit: string;
  #room: number;

  /** @param room how many characters of white space may be written: deep values could take a thousand times their size */
  constructor(text: string, room: number) {
    const json = text.trim();
    this.#newline = /\r\n|[\r\n]/.exec(json)?.[0] ?? null;
    this.#unit = /[\r\n]([ \t]+)[^ \t\r\n]/.exec(json)?.[1]?.slice(0, LONGEST_UNIT) ?? "";
    this.#room = room;
  }

  /** Writes a value as the text would, or on one line for lack of room. @param indentation of the line in which it begins */
  print(value: JsonValue, indentation: string): string {
    if (this.#newline === null) return JSON.stringify(value);
    const line = `${this.#newline}${indentation}`;
    const unit = this.#unit || "\t";
    if (!this.#take(spaceOf(value, line.length, unit.length))) return JSON.stringify(value);
    return JSON.stringify(value, null, unit).replace(this.#unit ? /\n/g : /\n\t*/g, line);
  }

  /** Begins a new line, unless there is no room. */
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
 * Counts the characters by which a value gets longer when it is indented, without writing it.
 * @param line how many begin the line in which the value begins, its line break among them
 * @param unit how many more begin a line inside
 */
function spaceOf(value: JsonValue, line: number, unit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  const items = Object.values<JsonValue>(value);
  if (items.length === 0) return 0;
  const inner = line + unit;
  const colons = isObject(value) ? items.length : 0;
  return items.reduce<number>((sum, item) => sum + inner + spaceOf(item, inner, unit), line + colons);
}
