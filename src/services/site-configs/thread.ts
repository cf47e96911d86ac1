import { Worker } from "node:worker_threads";
import { DomainError } from "../../domain/shared/errors.js";
import type { Task, TaskName, TaskOutputs } from "../../domain/site-configs/tasks.js";
import type { Counter } from "../../telemetry/counters.js";
import type { TaskReply } from "./worker.js";

const WORKER_FILE = new URL("./worker.js", import.meta.url);

/** Each task that waits holds up to two documents. */
const MAX_WAITING = 8;
const MAX_WAIT_MS = 10_000;
/** The slowest document of 2 MiB that we found takes 1 to 2 s. */
const MAX_RUN_MS = 20_000;
/** After which the thread ends, and frees its memory. */
const MAX_IDLE_MS = 30_000;
const MAX_HEAP_MB = 384;
const RETRY_AFTER_S = 2;

/** Works on large site configurations in a worker thread, one after the other. */
export class SiteConfigThread {
  readonly #refusals: Counter;
  readonly #waiting = new Set<() => void>();
  #isBusy = false;
  #isClosed = false;
  #worker: Worker | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Ends the task under way. */
  #fail: ((error: Error) => void) | null = null;

  /** @param refusals counts the tasks that were not done because too many wait */
  constructor(refusals: Counter) {
    this.#refusals = refusals;
  }

  /**
   * Does a task in the worker thread.
   * @param signal aborts a task that still waits
   * @throws DomainError as the task does, `unavailable` when too many wait or one takes too long; Error when the thread dies
   */
  async run<Name extends TaskName>(task: Task<Name>, signal?: AbortSignal): Promise<TaskOutputs[Name]> {
    await this.#takeTurn(signal);
    try {
      return toOutput(await this.#call(task));
    } finally {
      this.#passTurn();
    }
  }

  /** Ends the thread; what is under way or waits fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(
      new DomainError("unavailable", "The service is shutting down.", { retryAfter: RETRY_AFTER_S }),
    );
  }

  async #takeTurn(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    if (this.#waiting.size >= MAX_WAITING) throw this.#refuse();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abandon);
      };
      const start = () => {
        leave();
        resolve();
      };
      const abandon = () => {
        leave();
        reject(new DomainError("bad_request", "The client has closed the connection."));
      };
      const timer = setTimeout(() => {
        leave();
        reject(this.#refuse());
      }, MAX_WAIT_MS);
      this.#waiting.add(start);
      if (signal?.aborted) abandon();
      else signal?.addEventListener("abort", abandon);
    });
  }

  #passTurn(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#isBusy = false;
  }

  #refuse(): DomainError {
    this.#refusals.value += 1;
    const message = "Too many large site configurations are being processed. Try again later.";
    return new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
  }

  async #call<Name extends TaskName>(task: Task<Name>): Promise<TaskReply<Name>> {
    if (this.#isClosed) throw new DomainError("unavailable", "The service is shutting down.");
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const reply = new Promise<string>((resolve, reject) => {
      this.#fail = reject;
      worker.once("message", resolve);
    });
    const timer = setTimeout(() => {
      void this.#end(new DomainError("unavailable", "The site configuration takes too long to process."));
    }, MAX_RUN_MS);
    try {
      worker.postMessage(task);
      const parsed: TaskReply<Name> = JSON.parse(await reply);
      return parsed;
    } finally {
      clearTimeout(timer);
      this.#fail = null;
      worker.removeAllListeners("message");
      this.#idleTimer = setTimeout(() => void this.#end(), MAX_IDLE_MS).unref();
    }
  }

  #start(): Worker {
    // Neither the loaders nor the environment of this process: the latter holds secrets.
    const worker = new Worker(WORKER_FILE, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    const lose = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#fail?.(error);
    };
    worker.on("error", lose);
    worker.on("exit", (code) => lose(new Error(`The worker thread ended with code ${code}.`)));
    return worker;
  }

  async #end(reason?: Error): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = null;
    if (reason) this.#fail?.(reason);
    await worker?.terminate();
  }
}

function toOutput<Name extends TaskName>(reply: TaskReply<Name>): TaskOutputs[Name] {
  if ("output" in reply) return reply.output;
  if ("failure" in reply) throw new Error(`The worker thread failed: ${reply.failure}`);
  const { code, message, ...details } = reply.refusal;
  throw new DomainError(code, message, details);
}
