import { untilAborted } from "./abort.js";
import { ConnectionError, TimeoutError, UserGroupsError } from "./errors.js";
import type { Settings } from "./options.js";
import { VERSION } from "./version.js";

/** A request to the GraphQL API, with a JSON body. */
export interface HttpRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A reply that still arrives. */
export interface HttpStream {
  readonly response: Response;
  /** Ends the reply; reading it then fails with the reason. */
  readonly close: (reason?: unknown) => void;
}

/** Sends requests with `fetch`, which every runtime has. Only this class has the API key. */
export class HttpTransport {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #slots: Slots;
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  constructor({ base, apiKey, appName, fetch, maxConnections }: Settings) {
    this.#url = new URL("graphql", base);
    this.#headers = {
      authorization: `Token ${apiKey}`,
      "content-type": "application/json",
      "user-agent": [`user-groups-client/${VERSION}`, appName].join(" ").trimEnd(),
    };
    // Some runtimes refuse a `fetch` that is called as a method.
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#slots = new Slots(maxConnections);
  }

  /** Sends a request and reads the whole reply, whatever its status. @throws ConnectionError, TimeoutError, the signal's reason */
  async send(request: HttpRequest): Promise<HttpReply> {
    const { result, finish } = await this.#exchange(request, readWhole, this.#slots);
    finish();
    return result;
  }

  /**
   * Sends a request and passes on its reply as a stream, beside the maximum number of connections.
   * @param check the timeout covers what it reads; the rest may arrive later
   * @throws as `send` and `check` do
   */
  async open(request: HttpRequest, check: (reply: Response) => Promise<Response>): Promise<HttpStream> {
    const { result: response, finish, attempt } = await this.#exchange(request, check);
    const close = (reason?: unknown) => {
      attempt.abort(reason);
      finish();
    };
    return { response, close };
  }

  /** Ends all requests and refuses further ones. */
  close(): void {
    this.#isClosed = true;
    for (const attempt of this.#open) attempt.abort(closed());
  }

  async #exchange<T>(
    { timeoutMs, signal, headers, body }: HttpRequest,
    read: (reply: Response) => Promise<T>,
    slots?: Slots,
  ) {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed();
    const attempt = new AbortController();
    const late = () => attempt.abort(new TimeoutError(`The reply was not complete within ${timeoutMs} ms.`));
    const timer = setTimeout(late, timeoutMs);
    const onAbort = () => attempt.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    this.#open.add(attempt);
    const finish = () => {
      this.#open.delete(attempt);
      signal?.removeEventListener("abort", onAbort);
    };
    const send = async () => {
      const init = { method: "POST", body, headers: { ...this.#headers, ...headers } };
      return read(await this.#fetch(this.#url, { ...init, redirect: "manual", signal: attempt.signal }));
    };
    try {
      const sent = slots ? slots.run(send, attempt.signal) : send();
      return { result: await untilAborted(sent, attempt.signal), attempt, finish };
    } catch (error) {
      finish();
      attempt.signal.throwIfAborted();
      attempt.abort();
      throw toConnectionError(error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Limits how many tasks run at a time. */
class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task when it is its turn. @throws the signal's reason */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    let start: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => {
      start = resolve;
    });
    this.#waiting.add(start);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      // Its turn may have come at the same time.
      if (!this.#waiting.delete(start)) this.#release();
      throw error;
    }
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/** Reads a complete reply. */
export async function readWhole(reply: Response): Promise<HttpReply> {
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
}

function closed(): UserGroupsError {
  return new UserGroupsError("The client is closed. Create a new one.");
}

function toConnectionError(error: unknown): Error {
  if (error instanceof UserGroupsError) return error;
  const { message, code }: { message?: unknown; code?: unknown } = Object(
    error instanceof Error && error.cause instanceof Error ? error.cause : error,
  );
  const reason = String(message || code || "unknown reason");
  // Not the error itself: that of the HTTP parser has the bytes of the reply, which may contain a token.
  const cause = Object.assign(new Error(reason), { code });
  return new ConnectionError(`The service is unreachable or the connection was lost: ${reason}`, { cause });
}
