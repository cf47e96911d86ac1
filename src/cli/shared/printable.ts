/** What a file or a user's text holds must not steer the terminal: control characters, changes of direction and half pairs. */
export function printable(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
