import { setImmediate } from "node:timers/promises";
import { stringifyReply } from "../shared/raw-json.js";

/** Characters of large replies after which serialization is deferred to the next turn of the event loop. */
const MAX_CHARACTERS = 1_000_000;
const LARGE_REPLY = 64_000;

/**
 * Serializes replies in batches. Operations loaded by one SQL statement complete in the same turn of the event loop. If all their
 * replies were serialized before the first is sent, a few hundred large ones would exhaust memory and block the event loop.
 */
export class ReplyWriter {
  #written = 0;

  /** Serializes a reply; synchronous unless this turn's limit is exceeded. */
  write(value: object): string | Promise<string> {
    if (this.#written > MAX_CHARACTERS) return this.#writeLater(value);
    const text = `${stringifyReply(value)}\n`;
    if (text.length >= LARGE_REPLY) this.#count(text.length);
    return text;
  }

  async #writeLater(value: object): Promise<string> {
    // Check again: another waiting reply may have used up this turn's limit.
    while (this.#written > MAX_CHARACTERS) await setImmediate();
    return this.write(value);
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
