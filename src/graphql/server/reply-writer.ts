import { setImmediate } from "node:timers/promises";

/** How many characters of large replies are written in one turn of the event loop, but for the last reply of it. */
const MAX_CHARACTERS = 1_000_000;
const LARGE_REPLY = 64_000;

/**
 * Writes the text of replies. Operations that were answered with one statement end in the same turn of the event loop: if all of their
 * replies were written before the first is sent, some hundred large ones would not fit into memory, and nobody else would be served
 * meanwhile. So once much was written, the next turn is waited for.
 */
export class ReplyWriter {
  #written = 0;

  /** @returns at once, where nothing has to be waited for */
  write(value: unknown): string | Promise<string> {
    return this.#written <= MAX_CHARACTERS ? this.#writeNow(value) : this.#writeLater(value);
  }

  async #writeLater(value: unknown): Promise<string> {
    // One who has waited as long may have been faster.
    while (this.#written > MAX_CHARACTERS) await setImmediate();
    return this.#writeNow(value);
  }

  #writeNow(value: unknown): string {
    const text = `${JSON.stringify(value)}\n`;
    if (text.length >= LARGE_REPLY) this.#count(text.length);
    return text;
  }

  #count(characters: number): void {
    if (this.#written === 0) {
      void setImmediate().then(() => {
        this.#written = 0;
      });
    }
    this.#written += characters;
  }
}
