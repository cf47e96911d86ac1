import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { workerMetricsReader } from "../../telemetry/export/worker-metrics.js";
import { type MetricsMessage, workerMessage } from "./worker-link.js";

/** Environment variable with a worker's number. */
export const WORKER_VARIABLE = "USER_GROUPS_WORKER";
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A worker that has run this long is replaced without a longer delay. */
const STABLE_AFTER_MS = 60_000;

interface Member {
  readonly number: number;
  readonly worker: Worker;
  readonly startedAt: number;
  readonly exited: Promise<unknown>;
  /** Whether it was asked to stop. */
  isStopping: boolean;
}

/** The worker processes: starts, replaces and stops them, and does for them what must be done once. */
export class WorkerPool {
  readonly #members = new Map<number, Member>();
  readonly #readMetrics = workerMetricsReader();
  #delayMs = FIRST_DELAY_MS;
  #isStopping = false;
  #restarting: Promise<void> = Promise.resolve();

  constructor(
    private readonly size: number,
    private readonly log: Logger,
  ) {
    // Counts the rate limits of the workers.
    new RateLimiterClusterMaster();
  }

  /** Starts all workers. @returns their base URL @throws OperatorError when one ends before it listens */
  async start(): Promise<string> {
    const numbers = Array.from({ length: this.size }, (_, index) => index + 1);
    const [url = ""] = await Promise.all(numbers.map((number) => this.#startMember(number)));
    return url;
  }

  /** Replaces the workers one by one, so that the others serve. A worker stops only once its successor listens. */
  async restart(): Promise<void> {
    this.#restarting = this.#restarting.then(async () => {
      for (const member of [...this.#members.values()]) {
        if (this.#isStopping || member.isStopping) continue;
        try {
          await this.#startMember(member.number);
        } catch (error) {
          this.log.error({ err: error }, "restart aborted: a new worker did not start");
          return;
        }
        await stop(member);
      }
      this.log.info({ workers: this.size }, "workers restarted");
    });
    return this.#restarting;
  }

  /** Stops all workers gracefully. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#members.values()].map(stop));
  }

  async #startMember(number: number): Promise<string> {
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) });
    const exited = once(worker, "exit");
    const member: Member = { number, worker, startedAt: performance.now(), exited, isStopping: false };
    this.#members.set(worker.id, member);
    return new Promise((resolve, reject) => {
      let isListening = false;
      worker.on("message", (message: unknown) => {
        const url = this.#receive(member, message);
        if (url === undefined) return;
        isListening = true;
        resolve(url);
      });
      // A message could not be sent, because the worker has just ended.
      worker.on("error", (error) => this.log.warn({ err: error, worker: number }, "worker unreachable"));
      worker.on("exit", (code, signal) => {
        this.#members.delete(worker.id);
        // The worker has written its reason to stderr.
        if (!isListening)
          reject(
            new OperatorError(
              `Worker ${number} ended before it listened (${signal ?? `exit code ${code}`}).`,
            ),
          );
        else if (!member.isStopping && !this.#isStopping) void this.#replace(member, code, signal);
      });
    });
  }

  async #replace({ number, startedAt }: Member, code: number, signal: string): Promise<void> {
    if (performance.now() - startedAt > STABLE_AFTER_MS) this.#delayMs = FIRST_DELAY_MS;
    this.log.error({ worker: number, code, signal }, "worker ended unexpectedly");
    while (!this.#isStopping) {
      await sleep(this.#delayMs, undefined, { ref: false });
      this.#delayMs = Math.min(2 * this.#delayMs, MAX_DELAY_MS);
      if (this.#isStopping) return;
      try {
        await this.#startMember(number);
        return;
      } catch (error) {
        if (!this.#isStopping) this.log.error({ err: error, worker: number }, "worker did not start");
      }
    }
  }

  /** @returns the worker's URL if it has begun to listen */
  #receive(from: Member, received: unknown): string | undefined {
    // The libraries have messages of their own.
    const { data: message } = workerMessage.safeParse(received);
    switch (message?.type) {
      case "listening":
        return message.url;
      case "collectMetrics":
        void this.#collectMetrics(from, message.id);
        return undefined;
      case undefined:
        return undefined;
    }
  }

  async #collectMetrics(from: Member, id: number): Promise<void> {
    try {
      send(from, { type: "metrics", id, text: await this.#readMetrics() });
    } catch (error) {
      this.log.warn({ err: error }, "a worker did not return its metrics");
      send(from, { type: "metrics", id });
    }
  }
}

async function stop(member: Member): Promise<void> {
  member.isStopping = true;
  member.worker.process.kill("SIGTERM");
  await member.exited;
}

function send({ worker }: Member, message: MetricsMessage): void {
  if (worker.isConnected()) worker.send(message);
}
