/** The text as a text field gives it back, whatever ends its lines. */
export function toField(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** What was typed, with the line ends of the text that it began with: without a change, that text itself. */
export function fromField(typed: string, begunWith: string): string {
  if (typed === toField(begunWith)) return begunWith;
  const [lineEnd = "\n"] = /\r\n?|\n/.exec(begunWith) ?? [];
  return typed.replaceAll("\n", lineEnd);
}
