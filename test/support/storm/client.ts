import { callGraphql } from "../graphql/graphql-client.js";
import type { Data } from "../graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../rest/rest-client.js";

const TIMEOUT_MS = 240_000;

/** No reply arrived: the outcome is unknown. */
export class Unanswered extends Error {}

/** A service that is killed repeatedly and returns at the same address. */
export interface Target {
  readonly url: string;
  /** Resolves when the service accepts requests. */
  ready(): Promise<void>;
  /** Called for each reply and for each call without one. */
  onReply(): void;
  onUnanswered(): void;
}

/** One tenant's calls. Each waits for the service and is sent once. */
export class StormClient {
  readonly #target: Target;
  readonly #key: string;
  /** The tenant's name in the storm. */
  readonly name: string;

  constructor(target: Target, key: string, name: string) {
    this.#target = target;
    this.#key = key;
    this.name = name;
  }

  /** Calls /api/user. @throws Unanswered */
  async rest(method: string, body: object): Promise<RestReply> {
    return this.#send(() => callRest(`${this.#target.url}/api/user`, method, this.#key, body));
  }

  /** Runs an operation. @returns its data @throws Unanswered; Error when the reply has errors */
  async graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<Data> {
    const reply = await this.#send(() => callGraphql(this.#target.url, this.#key, query, variables));
    const { data, errors } = Object(reply.body);
    if (errors || reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return data;
  }

  async #send(call: () => Promise<RestReply>): Promise<RestReply> {
    await this.#target.ready();
    const reply = await call().catch((error: unknown) => {
      this.#target.onUnanswered();
      throw new Unanswered("No reply came.", { cause: error });
    });
    this.#target.onReply();
    return reply;
  }
}

/** Retries until there is a reply: for idempotent calls only. */
export async function retryUntilReply<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unanswered) || Date.now() > deadline) throw error;
    }
  }
}

/** Waits for concurrent calls. @returns the replies, without those that were lost */
export async function repliesOf<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.flatMap((outcome) => {
    if (outcome.status === "fulfilled") return [outcome.value];
    if (outcome.reason instanceof Unanswered) return [];
    throw outcome.reason;
  });
}
