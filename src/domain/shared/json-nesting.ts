/** Maximum nesting depth of a request body: that of a site configuration and of the objects around it. */
export const MAX_BODY_LEVELS = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

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
