import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Runs the work on site configurations of all requests one after the other, each in its own turn of the event loop: a document takes up
 * to 50 ms, and a request may contain many.
 */
export class SiteConfigWork {
  /** Settles after the previous task. */
  #previous: Promise<unknown> = Promise.resolve();

  async run<Output>(task: () => Output): Promise<Output> {
    const output = this.#previous.then(() => nextTurn()).then(task);
    this.#previous = output.catch(() => undefined);
    return output;
  }
}
