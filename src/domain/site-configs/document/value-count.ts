const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];
const SPACE = 0x20;

/** Counts the values of a JSON text without parsing it; approximate if the text is not valid JSON. */
export function countValues(json: string): number {
  let count = 1;
  let previous = 0;
  for (let offset = 0; offset < json.length; offset += 1) {
    const code = json.charCodeAt(offset);
    if (code <= SPACE) continue;
    if (code === QUOTE) offset = endOfString(json, offset);
    else if (code === COMMA) count += 1;
    // A non-empty container has one value more than commas.
    if (OPENING.includes(previous) && !CLOSING.includes(code)) count += 1;
    previous = code;
  }
  return count;
}

/** @returns the offset of the closing quotation mark, or the end of the text */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
