/** Replaces control characters, bidirectional formatting and unpaired surrogates, which could manipulate the terminal. */
export function printable(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
