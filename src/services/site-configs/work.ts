import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import {
  runTask,
  type Task,
  type TaskInputs,
  type TaskName,
  type TaskOutputs,
} from "../../domain/site-configs/tasks.js";
import type { SiteConfigThread } from "./thread.js";

/** So many bytes of site configurations a request may process in the event loop: they take it 20 ms at most. */
const MAX_EVENT_LOOP_BYTES = 64 * 1024;

/** What one request may still have done. */
interface WorkBudget {
  /** @throws DomainError when the reply is refused already */
  requireRest(): void;
  noteFindings(report: SiteConfigReport): void;
}

interface WorkOptions {
  readonly budget?: WorkBudget;
  /** Aborts what still waits. */
  readonly signal?: (() => AbortSignal) | undefined;
}

/**
 * The work on site configurations that one request asks for, one task after the other: small ones in the event loop, large ones
 * in a worker thread.
 */
export class SiteConfigWork {
  readonly #thread: SiteConfigThread | null;
  readonly #options: WorkOptions;
  #left = MAX_EVENT_LOOP_BYTES;
  /** Resolves when all tasks so far are done. */
  #previous: Promise<unknown> = Promise.resolve();

  /** @param thread null does everything at once, for a process that serves nobody else */
  constructor(thread: SiteConfigThread | null, options: WorkOptions = {}) {
    this.#thread = thread;
    this.#options = options;
  }

  /** @throws DomainError as the task, the budget and `SiteConfigThread` do */
  async run<Name extends TaskName>(name: Name, input: TaskInputs[Name]): Promise<TaskOutputs[Name]> {
    const output = this.#previous.then(() => this.#runNow({ name, input }));
    // One request must not fill the thread's queue by itself, and each task may use up the budget of the next.
    this.#previous = output.catch(() => undefined);
    return output;
  }

  async #runNow<Name extends TaskName>(task: Task<Name>): Promise<TaskOutputs[Name]> {
    const { budget, signal } = this.#options;
    budget?.requireRest();
    const output =
      this.#thread && !this.#isSmall(task.input) ? await this.#thread.run(task, signal?.()) : runTask(task);
    const report = reportOf(output);
    if (report) budget?.noteFindings(report);
    return output;
  }

  /** All documents of a request count together: several small ones take as long as a large one. */
  #isSmall(input: TaskInputs[TaskName]): boolean {
    const size = sizeOf(input);
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}

/** In UTF-16 code units, which are bytes of most documents. */
function sizeOf(input: TaskInputs[TaskName]): number {
  if ("from" in input) return input.from.length + input.to.length;
  if ("patch" in input) return input.text.length + input.patch.json.length;
  return "text" in input.source ? input.source.text.length : input.source.json.length;
}

function reportOf(output: TaskOutputs[TaskName]): SiteConfigReport | null {
  if ("report" in output) return output.report;
  return "valid" in output ? output : null;
}
