import type { JsonValue } from "../json.js";

/** `JSON.stringify` takes no more either. */
const LONGEST_UNIT = 10;

/** Else a deep value, or a text that is indented by a megabyte, would grow a thousandfold. */
const LONGEST_INDENTATION = 100;

/** How a JSON text is broken into lines and indented. */
export class TextLayout {
  /** Null when the text is on one line. */
  readonly #newline: string | null;
  readonly #unit: string;

  constructor(text: string) {
    const json = text.trim();
    this.#newline = /\r\n|[\r\n]/.exec(json)?.[0] ?? null;
    this.#unit = /[\r\n]([ \t]+)[^ \t\r\n]/.exec(json)?.[1]?.slice(0, LONGEST_UNIT) ?? "";
  }

  /** Writes a value as the text would. @param indentation of the line in which it begins */
  print(value: JsonValue, indentation: string): string {
    if (this.#newline === null) return JSON.stringify(value);
    const breaks = /\n\t*/g;
    return JSON.stringify(value, null, "\t").replace(breaks, (tabs) =>
      this.newLine(indentation + this.#unit.repeat(tabs.length - 1)),
    );
  }

  /** Begins a new line. */
  newLine(indentation: string): string {
    return `${this.#newline ?? ""}${indentation.slice(0, LONGEST_INDENTATION)}`;
  }
}
