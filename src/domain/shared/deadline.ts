import { DomainError } from "./errors.js";

/** `Retry-After` of a request that exceeded its deadline, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** The deadline of a request. */
export interface Deadline {
  /** Whether the request was already answered without waiting for its result: no further work is started for it. */
  readonly isOver: boolean;
}

/** The deadline of work shared by several requests: over once all of theirs are, and never if one request has none. */
export class SharedDeadline implements Deadline {
  readonly #deadlines: (Deadline | undefined)[];

  constructor(deadlines: readonly (Deadline | undefined)[]) {
    this.#deadlines = [...deadlines];
  }

  /** Adds the deadline of another request. */
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

/** @throws DomainError `unavailable` if the deadline is over */
export function requireTime(deadline: Deadline | undefined): void {
  if (deadline?.isOver) throw deadlineExceeded();
}
