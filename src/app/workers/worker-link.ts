import { type IRateLimiterOptions, RateLimiterCluster } from "rate-limiter-flexible";
import { z } from "zod";
import { DomainError } from "../../domain/shared/errors.js";
import type { Limiters, SharedLimiters } from "../../services/requests/rate-limits.js";
import { answerScrapes } from "../../telemetry/export/worker-metrics.js";

const id = z.number();

/** Messages of a worker to the primary process. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("listening"), url: z.string() }),
  z.object({ type: z.literal("collectMetrics"), id }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;

/** The primary process's answer, without text if a worker did not answer. */
export const metricsMessage = z.object({ type: z.literal("metrics"), id, text: z.string().optional() });
export type MetricsMessage = z.infer<typeof metricsMessage>;

/** A worker's connection to the primary process, which counts rate limits and collects the metrics of all workers. */
export class WorkerLink implements SharedLimiters {
  readonly isReachable = true;
  readonly #collecting = new Map<number, (text: string | undefined) => void>();
  #lastId = 0;

  /** @param worker from 1; a replaced worker's number is used again */
  constructor(readonly worker: number) {
    answerScrapes();
    process.on("message", (message) => this.#receive(message));
  }

  reportListening(url: string): void {
    send({ type: "listening", url });
  }

  create(options: IRateLimiterOptions): Limiters {
    const memory = new RateLimiterCluster(options);
    return { shared: memory, memory };
  }

  /** Returns the metrics of all workers. @throws DomainError `unavailable` if one of them does not answer in time */
  async metricsOfAllWorkers(): Promise<string> {
    const text = await new Promise<string | undefined>((resolve) => {
      this.#lastId += 1;
      this.#collecting.set(this.#lastId, resolve);
      send({ type: "collectMetrics", id: this.#lastId });
    });
    if (text !== undefined) return text;
    throw new DomainError("unavailable", "A worker process did not return its metrics in time. Try again.");
  }

  #receive(received: unknown): void {
    // The libraries have messages of their own.
    const { data: message } = metricsMessage.safeParse(received);
    if (!message) return;
    this.#collecting.get(message.id)?.(message.text);
    this.#collecting.delete(message.id);
  }
}

function send(message: WorkerMessage): void {
  // Node.js ends a worker whose primary process has gone.
  process.send?.(message);
}
