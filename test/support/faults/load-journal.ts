import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Data } from "../graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../rest/rest-client.js";

/** A request of the load. */
export interface Call {
  readonly what: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether it got a 503, or no reply from a killed service. */
  readonly refused: boolean;
}

/** The outcome of a request; without data when the service was unreachable and a write's outcome is unknown. */
export interface Outcome {
  readonly data: Data | null;
  readonly requestId: string;
  /** Whether it is a stored reply of an earlier request. */
  readonly replayed: boolean;
}

/** A service that is killed and started again at the same address. */
export interface MortalTarget {
  readonly url: string;
  /** Resolves once it accepts requests. */
  ready(): Promise<unknown>;
}

/** Sends the load's requests and records their outcomes. */
export class LoadJournal {
  readonly calls: Call[] = [];
  /** Violations of invariants. */
  readonly violations: string[] = [];
  /** By request and group: whether it certainly caused a change. */
  readonly writes = new Map<string, boolean>();
  readonly unknownWrites = new Set<string>();
  readonly #url: string;
  readonly #target: MortalTarget | undefined;

  /** @param target its URL; calls of one that may be killed wait until it is ready and may get no reply */
  constructor(target: string | MortalTarget) {
    this.#target = typeof target === "string" ? undefined : target;
    this.#url = typeof target === "string" ? target : target.url;
  }

  /** Calls `/api/user`, optionally with an Idempotency-Key. */
  async rest(key: string, method: string, body: object, idempotencyKey?: string): Promise<Outcome> {
    return this.#send(`REST ${method}`, (id) =>
      callRest(`${this.#url}/api/user`, method, key, body, { ...id, "idempotency-key": idempotencyKey }),
    );
  }

  /** Runs an operation with an API key, optionally with an Idempotency-Key. */
  async graphql(key: string, query: string, variables: object, idempotencyKey?: string): Promise<Outcome> {
    const name = /\w+/.exec(query.slice(query.indexOf("{") + 1))?.[0];
    const { data, ...outcome } = await this.#send(`GraphQL ${name}`, (id) => {
      const headers = { ...id, "idempotency-key": idempotencyKey };
      return callRest(`${this.#url}/graphql`, "POST", key, { query, variables }, headers);
    });
    const payloads: Data[] = Object.values(data?.data ?? {});
    const faults = payloads.flatMap((payload) => payload?.userErrors ?? []);
    return { data: this.expect(query, faults, []) ? data?.data : null, ...outcome };
  }

  /** Runs a query as a group's front end. @param wanted the expected status */
  async frontEnd(token: string | null, query: string, wanted: number): Promise<Outcome> {
    const headers = { authorization: `Bearer ${token}` };
    return this.#send(
      `front end, ${wanted} wanted`,
      () => callRest(`${this.#url}/graphql`, "POST", undefined, { query }, headers),
      wanted,
    );
  }

  /**
   * Records an attempted write.
   * @param happened undefined if unknown
   */
  noteWrite(requestId: string, providedId: string, happened: boolean | undefined): void {
    if (happened !== undefined) this.writes.set(`${requestId} ${providedId}`, happened);
    else this.unknownWrites.add(`${requestId} ${providedId}`);
  }

  /** Records a violation if the values differ. @returns whether they are equal */
  expect(what: string, actual: unknown, wanted: unknown): boolean {
    if (isDeepStrictEqual(actual, wanted)) return true;
    this.violations.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`);
    return false;
  }

  async #send(
    what: string,
    send: (headers: { readonly "x-request-id": string }) => Promise<RestReply>,
    wanted = 200,
  ): Promise<Outcome> {
    await this.#target?.ready();
    // Of our own, so that the audit log names it even if the reply is lost.
    const requestId = randomUUID();
    const startedAt = Date.now();
    try {
      const reply = await send({ "x-request-id": requestId });
      const { status, headers, body } = reply;
      const refused = isRefusal(reply);
      this.calls.push({ what, startedAt, endedAt: Date.now(), refused });
      if (!refused && status !== wanted) this.violations.push(`${what}: ${status} ${JSON.stringify(body)}`);
      return {
        data: status === 200 && !refused ? body : null,
        requestId,
        replayed: headers["idempotent-replayed"] !== undefined,
      };
    } catch (error) {
      if (this.#target) this.calls.push({ what, startedAt, endedAt: Date.now(), refused: true });
      else this.violations.push(`${what}: ${error}`);
      return { data: null, requestId, replayed: false };
    }
  }
}

/** Returns whether a reply is a complete "unavailable" error. */
function isRefusal({ status, headers, body }: RestReply): boolean {
  const { success, error, data, errors } = Object(body);
  const retryAfter = /^\d+$/.test(String(headers["retry-after"]));
  // An earlier attempt may still be running in the database.
  if (status === 409 && retryAfter) {
    const { code } = error ?? Object(errors?.[0]?.extensions);
    return String(code).toLowerCase() === "idempotency_key_in_use";
  }
  if (status === 503 && retryAfter)
    return success === 0 ? error.code === "unavailable" : errors?.every(isUnavailable) === true;
  // For partial results GraphQL reports the error.
  return status === 200 && data && errors?.every(isUnavailable) === true;
}

function isUnavailable({ extensions }: { extensions?: { code?: string; retryAfter?: number } }): boolean {
  return extensions?.code === "UNAVAILABLE" && Number(extensions.retryAfter) > 0;
}
