import { Worker } from "node:worker_threads";
import { DomainError } from "../../domain/shared/errors.js";
import type { Task, TaskName, TaskOutputs } from "../../domain/site-configs/tasks.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { TaskReply } from "./worker.js";

const WORKER_FILE = new URL("./worker.js", import.meta.url);

/** Limits memory: each queued task holds up to two documents. */
const MAX_WAITING = 8;
const MAX_WAIT_MS = 10_000;
/** The slowest known 2 MiB document takes 1 to 2 s. */
const MAX_RUN_MS = 20_000;
/** Idle time after which the thread is terminated to free its memory. */
const MAX_IDLE_MS = 30_000;
const MAX_HEAP_MB = 384;
const RETRY_AFTER_S = 2;

/** Processes large site configurations in a worker thread, one at a time. */
export class SiteConfigThread {
  readonly #refusals: Metrics["siteConfigRefusals"];
  readonly #waiting = new Set<() => void>();
  #isBusy = false;
  #isClosed = false;
  #worker: Worker | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Rejects the task in progress. */
  #fail: ((error: Error) => void) | null = null;

  /** @param refusals counts the tasks rejected because the queue is full or the wait was too long */
  constructor(refusals: Metrics["siteConfigRefusals"]) {
    this.#refusals = refusals;
  }

  /**
   * Runs a task in the worker thread.
   * @param signal aborts the task while it is queued
   * @throws DomainError from the task, or `unavailable` if the queue is full or a timeout is exceeded; Error if the thread crashes
   */
  async run<Name extends TaskName>(task: Task<Name>, signal?: AbortSignal): Promise<TaskOutputs[Name]> {
    await this.#takeTurn(signal);
    try {
      return toOutput(await this.#call(task));
    } finally {
      this.#passTurn();
    }
  }

  /** Terminates the thread; tasks in progress and queued tasks fail. */
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
        reject(new DomainError("bad_request", "The client closed the connection."));
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
    this.#refusals.inc();
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
      void this.#end(new DomainError("unavailable", "Processing the site configuration took too long."));
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
    // Inherit neither module loaders nor the environment, which holds secrets.
    const worker = new Worker(WORKER_FILE, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    const onWorkerExit = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#fail?.(error);
    };
    worker.on("error", onWorkerExit);
    worker.on("exit", (code) => onWorkerExit(new Error(`The worker thread exited with code ${code}.`)));
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
