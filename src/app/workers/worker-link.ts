import type { Counter, SharedCounters } from "../../domain/requests/rate-limit.js";
import { DomainError } from "../../domain/shared/errors.js";
import { answerScrapes } from "../../telemetry/export/worker-metrics.js";
import { primaryMessage, type WorkerMessage } from "./messages.js";

interface Take {
  readonly id: number;
  readonly name: string;
  readonly cost: number;
  readonly limit: number;
}

/** A worker's connection to the primary process, which counts rate limits and collects the metrics of all workers. */
export class WorkerLink implements SharedCounters {
  readonly isReachable = true;
  /** From 1; a replaced worker's number is used again. */
  readonly worker: number;
  readonly #taking = new Map<number, (counter: Counter) => void>();
  readonly #collecting = new Map<number, (text: string | undefined) => void>();
  #takes: Take[] = [];
  #lastId = 0;

  constructor(worker: number) {
    this.worker = worker;
    answerScrapes();
    process.on("message", (message) => this.#receive(message));
  }

  reportListening(url: string): void {
    send({ type: "listening", url });
  }

  /** Takes of one turn of the event loop are sent in one message. */
  async take(name: string, cost: number, limit: number): Promise<Counter> {
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#taking.set(this.#lastId, resolve);
      if (this.#takes.length === 0) setImmediate(() => this.#sendTakes());
      this.#takes.push({ id: this.#lastId, name, cost, limit });
    });
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

  #sendTakes(): void {
    send({ type: "take", takes: this.#takes });
    this.#takes = [];
  }

  #receive(received: unknown): void {
    // prom-client has messages of its own.
    const { data: message } = primaryMessage.safeParse(received);
    switch (message?.type) {
      case "taken":
        for (const { id, ...counter } of message.counters) settle(this.#taking, id, counter);
        return;
      case "metrics":
        settle(this.#collecting, message.id, message.text);
    }
  }
}

function settle<Value>(waiting: Map<number, (value: Value) => void>, id: number, value: Value): void {
  waiting.get(id)?.(value);
  waiting.delete(id);
}

function send(message: WorkerMessage): void {
  // Node.js ends a worker whose primary process has gone.
  process.send?.(message);
}
