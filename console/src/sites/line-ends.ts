/** Returns the text with LF line breaks, as a textarea returns it. */
export function toField(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Returns the edited text with the line breaks of the original; if it is unchanged, the original itself. */
export function fromField(typed: string, original: string): string {
  if (typed === toField(original)) return original;
  const [lineEnd = "\n"] = /\r\n?|\n/.exec(original) ?? [];
  return typed.replaceAll("\n", lineEnd);
}
