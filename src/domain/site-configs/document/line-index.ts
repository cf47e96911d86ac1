/** A position in a text, both from 1; columns count UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const LF = 10;
const CR = 13;

/** Finds lines of a text in logarithmic time. Lines end with LF, CR LF or CR. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#starts = lineStarts(text);
  }

  /** @param offset from 0 */
  positionOf(offset: number): TextPosition {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  /** @param line from 1 @returns the line without its line break; empty if there is no such line */
  textOf(line: number): string {
    const start = this.#starts[line - 1];
    return start === undefined ? "" : this.#text.slice(start, this.#starts[line]).replace(/[\r\n]{1,2}$/, "");
  }
}

/** Loops over character codes because a regular expression match per line break takes 30 times as long. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    const endsLine = code === LF || (code === CR && text.charCodeAt(offset + 1) !== LF);
    if (endsLine) starts.push(offset + 1);
  }
  return starts;
}
