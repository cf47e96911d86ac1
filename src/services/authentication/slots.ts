import { DomainError } from "../../domain/shared/errors.js";
import { CountsByName } from "../shared/counts-by-name.js";

const RETRY_AFTER_S = 5;

/** Bounds calls to another service: a few run at once, further ones wait in order, and each name has a small share of both. */
export class Slots {
  readonly #byName = new CountsByName();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    private readonly max: number,
    /** Maximum number of a name's calls, running and waiting: no name can make the others wait long. */
    private readonly maxPerName: number,
  ) {}

  /** @throws DomainError `unavailable` if the name has too many calls */
  async run<Result>(name: string, call: () => Promise<Result>): Promise<Result> {
    if (this.#byName.of(name) >= this.maxPerName) {
      const message = "Too many sign-ins are in progress. Try again later.";
      throw new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
    }
    this.#byName.add(name, 1);
    try {
      if (this.#running < this.max) this.#running += 1;
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      try {
        return await call();
      } finally {
        const next = this.#waiting.shift();
        if (next) next();
        else this.#running -= 1;
      }
    } finally {
      this.#byName.add(name, -1);
    }
  }
}
