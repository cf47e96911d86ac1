import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum takers that get a result in one turn of the event loop: 1,000 open pages would block it for 30 ms. */
const TAKERS_PER_TURN = 50;

/** Gets a result that has been computed, or the error of its computation. */
export type Taker<Value> = (outcome: PromiseSettledResult<Value>) => void;

/** Hands results to many takers, in order, some in each turn of the event loop. */
export class Handout {
  #steps: (() => void)[] = [];
  #isRunning = false;

  add(step: () => void): void {
    this.#steps.push(step);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#steps.length > 0) {
      await nextTurn();
      for (const step of this.#steps.splice(0, TAKERS_PER_TURN)) step();
    }
    this.#isRunning = false;
  }
}

/**
 * A result that is computed once for many takers. With a promise, each of 10,000 takers would have several more in memory, which the
 * garbage collector moves, and all of them would run in one turn.
 */
export class SharedResult<Value> {
  #outcome: PromiseSettledResult<Value> | undefined;
  #waiting: Taker<Value>[] = [];

  constructor(
    result: Promise<Value>,
    private readonly handout: Handout,
  ) {
    result.then(
      (value) => this.#settle({ status: "fulfilled", value }),
      (reason: unknown) => this.#settle({ status: "rejected", reason }),
    );
  }

  /** Calls a function with the outcome: at once, or in its turn when the result is there. */
  take(taker: Taker<Value>): void {
    if (this.#outcome) taker(this.#outcome);
    else this.#waiting.push(taker);
  }

  #settle(outcome: PromiseSettledResult<Value>): void {
    this.#outcome = outcome;
    for (const taker of this.#waiting.splice(0)) this.handout.add(() => taker(outcome));
  }
}
