import { DomainError } from "./errors.js";

/** How long a caller should wait before the next attempt, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Until when a request may take. */
export interface Deadline {
  /** Whether the request has been answered without waiting for its result: nothing more is begun for it. */
  readonly isOver: boolean;
}

/** The deadline of work that several requests wait for: it is over once that of each of them is, and never while one has none. */
export class SharedDeadline implements Deadline {
  readonly #deadlines: (Deadline | undefined)[] = [];

  /** Adds a request. */
  join(deadline: Deadline | undefined): void {
    this.#deadlines.push(deadline);
  }

  get isOver(): boolean {
    return this.#deadlines.every((deadline) => deadline?.isOver === true);
  }
}

/** Returns the error of a request that has exceeded its deadline. */
export function deadlineExceeded(): DomainError {
  return new DomainError("unavailable", "The request took too long. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}

/** @throws DomainError `unavailable` once the deadline, if there is one, is over */
export function requireTime(deadline: Deadline | undefined): void {
  if (deadline?.isOver) throw deadlineExceeded();
}
