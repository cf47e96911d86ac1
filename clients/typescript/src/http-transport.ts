import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { ConnectionError, TimeoutError, UserGroupsError } from "./errors.js";
import type { Settings } from "./options.js";
import { VERSION } from "./version.js";

/** A request with a JSON body, even for GET, which `fetch` refuses. */
export interface HttpRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Without a leading slash. */
  readonly path: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Sends requests over persistent connections. Only this class has the API key. */
export class HttpTransport {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: HttpAgent | HttpsAgent;
  /** Streams have separate connections: they would block those of calls. */
  readonly #streamAgent: HttpAgent | HttpsAgent;
  readonly #ownsAgent: boolean;
  #isClosed = false;

  constructor({ base, apiKey, appName, agent, maxConnections }: Settings) {
    this.#base = base;
    const client = `user-groups-client/${VERSION} node/${process.versions.node}`;
    this.#headers = {
      authorization: `Token ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": appName === undefined ? client : `${client} ${appName}`,
    };
    const Agent = base.protocol === "https:" ? HttpsAgent : HttpAgent;
    this.#agent = agent ?? new Agent({ keepAlive: true, maxSockets: maxConnections });
    this.#streamAgent = agent ?? new Agent({ keepAlive: true });
    this.#ownsAgent = agent === undefined;
  }

  /** Sends a request and reads the whole reply, whatever its status. @throws ConnectionError, TimeoutError, the signal's reason */
  async send(request: HttpRequest): Promise<HttpReply> {
    return this.#exchange(request, this.#agent, readWhole);
  }

  /**
   * Sends a request and passes on its reply as a stream.
   * @param read the timeout covers what it reads; the rest may arrive later
   * @throws as `send` and `read` do
   */
  async open<T>(request: HttpRequest, read: (reply: IncomingMessage) => Promise<T>): Promise<T> {
    return this.#exchange(request, this.#streamAgent, read);
  }

  /** Closes all connections and refuses further requests. */
  close(): void {
    this.#isClosed = true;
    if (!this.#ownsAgent) return;
    this.#agent.destroy();
    this.#streamAgent.destroy();
  }

  async #exchange<T>(
    { timeoutMs, signal, ...request }: HttpRequest,
    agent: HttpAgent | HttpsAgent,
    read: (reply: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new UserGroupsError("The client is closed. Create a new one.");
    const sent = this.#start(request, agent);
    // Once the reply has begun, the error that destroys the request is lost: this promise keeps it.
    const { promise: ended, reject: end } = rejectable();
    const timer = setTimeout(
      () => end(new TimeoutError(`The reply was not complete within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([replyOf(sent).then(read).catch(toConnectionError), ended]);
    } catch (error) {
      sent.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #start(
    { method, path, body, headers }: Pick<HttpRequest, "method" | "path" | "body" | "headers">,
    agent: HttpAgent | HttpsAgent,
  ) {
    const start = this.#base.protocol === "https:" ? requestHttps : requestHttp;
    const sent = start(new URL(path, this.#base), {
      method,
      agent,
      headers: { ...this.#headers, ...headers, "content-length": Buffer.byteLength(body) },
    });
    sent.end(body);
    return sent;
  }
}

/** Reads a complete reply. */
export async function readWhole(reply: IncomingMessage): Promise<HttpReply> {
  const body = await text(reply);
  return { status: reply.statusCode ?? 0, headers: reply.headers, body };
}

function replyOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Avoid an unhandled rejection: a connection may fail more than once.
    request.on("error", reject);
  });
}

function rejectable(): { readonly promise: Promise<never>; readonly reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise;
  });
  return { promise, reject };
}

function toConnectionError(cause: unknown): never {
  if (cause instanceof UserGroupsError) throw cause;
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : "unknown reason";
  throw new ConnectionError(`The service is unreachable or the connection was lost: ${reason}`, {
    cause: withoutBytes(cause),
  });
}

/** Drops the raw bytes from errors of the HTTP parser: they may contain a token. */
function withoutBytes(cause: unknown): unknown {
  if (!(cause instanceof Error && "rawPacket" in cause)) return cause;
  return Object.assign(new Error(cause.message), { code: "code" in cause ? cause.code : undefined });
}
