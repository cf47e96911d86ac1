import { isDeepStrictEqual } from "node:util";
import type { Data } from "../graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../rest/rest-client.js";

/** A request of a load. */
export interface Call {
  readonly what: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether it got a 503. */
  readonly refused: boolean;
}

/** What came of a request; without data where the service was out of reach, and nobody knows whether a write happened. */
export interface Outcome {
  readonly data: Data | null;
  readonly requestId: string;
  /** Whether it is the stored reply of an earlier request. */
  readonly replayed: boolean;
}

/** Sends the requests of a load, and notes what they got. */
export class LoadJournal {
  readonly calls: Call[] = [];
  /** Whatever must never happen. */
  readonly violations: string[] = [];
  /** By request and group: whether it was changed, for certain. */
  readonly writes = new Map<string, boolean>();
  readonly unknownWrites = new Set<string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Calls `/api/user`; under an Idempotency-Key, where one is given. */
  async rest(key: string, method: string, body: object, idempotencyKey?: string): Promise<Outcome> {
    const headers = { "idempotency-key": idempotencyKey };
    return this.#send(`REST ${method}`, () => callRest(`${this.#url}/api/user`, method, key, body, headers));
  }

  /** Runs an operation with an API key; under an Idempotency-Key, where one is given. */
  async graphql(key: string, query: string, variables: object, idempotencyKey?: string): Promise<Outcome> {
    const name = /\w+/.exec(query.slice(query.indexOf("{") + 1))?.[0];
    const headers = { "idempotency-key": idempotencyKey };
    const { data, ...outcome } = await this.#send(`GraphQL ${name}`, () =>
      callRest(`${this.#url}/graphql`, "POST", key, { query, variables }, headers),
    );
    const payloads: Data[] = Object.values(data?.data ?? {});
    const faults = payloads.flatMap((payload) => payload?.userErrors ?? []);
    return { data: this.expect(query, faults, []) ? data?.data : null, ...outcome };
  }

  /** Runs a query as the front end of a group does. @param wanted the status that the reply must have */
  async frontEnd(token: string | null, query: string, wanted: number): Promise<Outcome> {
    const headers = { authorization: `Bearer ${token}` };
    return this.#send(
      `front end, ${wanted} wanted`,
      () => callRest(`${this.#url}/graphql`, "POST", undefined, { query }, headers),
      wanted,
    );
  }

  /**
   * Notes a write that was tried.
   * @param happened undefined where nobody knows
   */
  noteWrite(requestId: string, providedId: string, happened: boolean | undefined): void {
    if (happened !== undefined) this.writes.set(`${requestId} ${providedId}`, happened);
    else this.unknownWrites.add(`${requestId} ${providedId}`);
  }

  /** Notes what differs from what must be. @returns whether all is well */
  expect(what: string, actual: unknown, wanted: unknown): boolean {
    if (isDeepStrictEqual(actual, wanted)) return true;
    this.violations.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`);
    return false;
  }

  async #send(what: string, send: () => Promise<RestReply>, wanted = 200): Promise<Outcome> {
    const startedAt = Date.now();
    try {
      const reply = await send();
      const { status, headers, body } = reply;
      const refused = isRefusal(reply);
      this.calls.push({ what, startedAt, endedAt: Date.now(), refused });
      if (!refused && status !== wanted) this.violations.push(`${what}: ${status} ${JSON.stringify(body)}`);
      return {
        data: status === 200 && !refused ? body : null,
        requestId: String(headers["x-request-id"]),
        replayed: headers["idempotent-replayed"] !== undefined,
      };
    } catch (error) {
      this.violations.push(`${what}: ${error}`);
      return { data: null, requestId: "", replayed: false };
    }
  }
}

/** Says whether a reply tells, in all that belongs to it, that the service is out of reach. */
function isRefusal({ status, headers, body }: RestReply): boolean {
  const { success, error, data, errors } = Object(body);
  const retryAfter = /^\d+$/.test(String(headers["retry-after"]));
  // An earlier attempt may still be under way in the database.
  if (status === 409 && retryAfter) {
    const { code } = error ?? Object(errors?.[0]?.extensions);
    return String(code).toLowerCase() === "idempotency_key_in_use";
  }
  if (status === 503 && retryAfter)
    return success === 0 ? error.code === "unavailable" : errors?.every(isUnavailable) === true;
  // Some of it was answered: GraphQL tells of the rest.
  return status === 200 && data && errors?.every(isUnavailable) === true;
}

function isUnavailable({ extensions }: { extensions?: { code?: string; retryAfter?: number } }): boolean {
  return extensions?.code === "UNAVAILABLE" && Number(extensions.retryAfter) > 0;
}
