import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { freePort } from "../programs/free-port.js";
import type { ProcessOptions, RunningService, TestProcesses } from "../service/running-process.js";
import type { Target } from "./client.js";

/** Maximum delay of the kill after its triggering reply, so that it does not always happen between two replies. */
const LATER_MS = 5;

/** A service that is killed while working and restarts at the same address. */
export class MortalService implements Target {
  readonly url: string;
  readonly #start: () => Promise<RunningService>;
  readonly #onDeath: () => Promise<void>;
  #up: Promise<RunningService>;
  #replies = 0;
  #unanswered = 0;
  #killAt = Number.POSITIVE_INFINITY;

  /** @param onDeath runs before the service is restarted */
  static async start(
    processes: TestProcesses,
    options: ProcessOptions,
    onDeath: () => Promise<void>,
  ): Promise<MortalService> {
    const port = await freePort();
    const start = () => processes.serve({ ...options, env: { ...options.env, PORT: String(port) } });
    return new MortalService(`http://127.0.0.1:${port}`, start, onDeath);
  }

  private constructor(url: string, start: () => Promise<RunningService>, onDeath: () => Promise<void>) {
    this.url = url;
    this.#start = start;
    this.#onDeath = onDeath;
    this.#up = start();
  }

  /** The number of calls with a reply so far. */
  get replies(): number {
    return this.#replies;
  }

  /** The number of calls without one. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Kills it after that many further replies. */
  killAfter(replies: number): void {
    this.#killAt = this.#replies + replies;
  }

  async ready(): Promise<void> {
    await this.#up;
  }

  onReply(): void {
    this.#replies += 1;
    if (this.#replies !== this.#killAt) return;
    const doomed = this.#up;
    void sleep(Math.random() * LATER_MS).then(() => {
      this.#up = doomed.then((service) => this.#killAndStart(service));
    });
  }

  onUnanswered(): void {
    this.#unanswered += 1;
  }

  /** Stops it gracefully. */
  async stop(): Promise<void> {
    const service = await this.#up;
    service.kill("SIGTERM");
    expect(await service.ended).toMatchObject({ code: 0, stderr: "" });
  }

  async #killAndStart(service: RunningService): Promise<RunningService> {
    service.kill("SIGKILL");
    expect(await service.ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
    await this.#onDeath();
    return this.#start();
  }
}
