/** Extends a JSON pointer (RFC 6901) by a key or an index. */
export function pointerTo(parent: string, key: string | number): string {
  // To replace nothing in each key took a fifth of the validator's time.
  const isPlain = typeof key === "number" || !/[~/]/.test(key);
  return `${parent}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** What a message calls the value at a pointer: its last key, and the indices below it. */
export function nameOf(pointer: string): string {
  if (pointer === "") return "The document";
  const indices: string[] = [];
  let end = pointer.length;
  for (;;) {
    const start = pointer.lastIndexOf("/", end - 1);
    const segment = pointer.slice(start + 1, end);
    if (start <= 0 || !/^\d+$/.test(segment)) {
      const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      return `${quote(key)}${indices.map((index) => `[${index}]`).join("")}`;
    }
    indices.unshift(segment);
    end = start;
  }
}

const LONGEST_QUOTE = 60;

/** Shows a text of the document in a message: quoted, on one line, shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text);
}
