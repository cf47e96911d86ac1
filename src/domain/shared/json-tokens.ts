import { createScanner } from "jsonc-parser";

/** Reads the tokens of a valid JSON text with their offsets. Not recursive, so nesting depth is not a hazard. */
export class JsonTokens {
  readonly #text: string;
  readonly #scanner: ReturnType<typeof createScanner>;

  /** @param text valid JSON */
  constructor(text: string) {
    this.#text = text;
    this.#scanner = createScanner(text, true);
  }

  /** Advances to the next token. @returns its first character; an empty string at the end of the text */
  next(): string {
    this.#scanner.scan();
    return this.#text.charAt(this.start);
  }

  get start(): number {
    return this.#scanner.getTokenOffset();
  }

  get end(): number {
    return this.start + this.#scanner.getTokenLength();
  }

  /** The unescaped value of a string token; the text of any other token. */
  get value(): string {
    return this.#scanner.getTokenValue();
  }
}
