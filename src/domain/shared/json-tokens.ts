import { createScanner } from "jsonc-parser";

/** Reads the tokens of a valid JSON text one by one, with their places. It does not recurse, however deep the text is nested. */
export class JsonTokens {
  readonly #text: string;
  readonly #scanner: ReturnType<typeof createScanner>;

  /** @param text what `JSON.parse` has accepted */
  constructor(text: string) {
    this.#text = text;
    this.#scanner = createScanner(text, true);
  }

  /** Moves to the next token. @returns its first character; an empty string at the end of the text */
  next(): string {
    this.#scanner.scan();
    return this.#text.charAt(this.start);
  }

  /** Where the token begins. */
  get start(): number {
    return this.#scanner.getTokenOffset();
  }

  /** Where the token ends. */
  get end(): number {
    return this.start + this.#scanner.getTokenLength();
  }

  /** The string of a string token, without quotes and escapes; the text of any other token. */
  get value(): string {
    return this.#scanner.getTokenValue();
  }
}
