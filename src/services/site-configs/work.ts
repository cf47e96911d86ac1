import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import {
  runTask,
  type Task,
  type TaskInputs,
  type TaskName,
  type TaskOutputs,
} from "../../domain/site-configs/tasks.js";
import type { SiteConfigThread } from "./thread.js";

/** Bytes of site configurations that a request may process in the event loop, which blocks it for up to 20 ms. */
const MAX_EVENT_LOOP_BYTES = 64 * 1024;

/** The remaining work budget of a request. */
interface WorkBudget {
  /** @throws DomainError when the budget is used up */
  requireRemaining(): void;
  spendFindings(report: SiteConfigReport): void;
}

interface WorkOptions {
  readonly budget?: WorkBudget;
  /** Aborts queued tasks. */
  readonly signal?: (() => AbortSignal) | undefined;
}

/**
 * Runs the site configuration tasks of one request sequentially: small ones in the event loop, large ones in a worker thread.
 */
export class SiteConfigWork {
  readonly #thread: SiteConfigThread | null;
  readonly #options: WorkOptions;
  #left = MAX_EVENT_LOOP_BYTES;
  /** Settles after the previous task. */
  #previous: Promise<unknown> = Promise.resolve();

  /** @param thread null runs all tasks in the event loop, for a process that serves no other requests */
  constructor(thread: SiteConfigThread | null, options: WorkOptions = {}) {
    this.#thread = thread;
    this.#options = options;
  }

  /** @throws DomainError from the task, the budget or `SiteConfigThread` */
  async run<Name extends TaskName>(name: Name, input: TaskInputs[Name]): Promise<TaskOutputs[Name]> {
    const output = this.#previous.then(() => this.#runNow({ name, input }));
    // Run sequentially: one request must not fill the thread's queue, and each task may use up the budget of the next.
    this.#previous = output.catch(() => undefined);
    return output;
  }

  async #runNow<Name extends TaskName>(task: Task<Name>): Promise<TaskOutputs[Name]> {
    const { budget, signal } = this.#options;
    budget?.requireRemaining();
    const output =
      this.#thread && !this.#isSmall(task.input) ? await this.#thread.run(task, signal?.()) : runTask(task);
    const report = reportOf(output);
    if (report) budget?.spendFindings(report);
    return output;
  }

  /** Sums the documents of a request: several small ones take as long as a large one. */
  #isSmall(input: TaskInputs[TaskName]): boolean {
    const size = sizeOf(input);
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

/** Returns the size in UTF-16 code units, which equals bytes for ASCII documents. */
function sizeOf(input: TaskInputs[TaskName]): number {
  if ("from" in input) return input.from.length + input.to.length;
  if ("patch" in input) return input.text.length + input.patch.json.length;
  return "text" in input.source ? input.source.text.length : input.source.json.length;
}

function reportOf(output: TaskOutputs[TaskName]): SiteConfigReport | null {
  if ("report" in output) return output.report;
  return "valid" in output ? output : null;
}
