import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TypedDocument } from "./document.js";
import { textOf } from "./document.js";
import { readData } from "./graphql-wire.js";
import type { HttpReply, HttpRequest, HttpTransport } from "./http-transport.js";
import { type CallLimits, type CallOptions, readIdempotencyKey, readLimits } from "./options.js";
import { withRetries } from "./retry.js";

const GRAPHQL_PATH = "graphql";
/** With it a failure has a status of its own, as over REST; an older service answers 200. */
const JSON_RESULT = "application/graphql-response+json, application/json;q=0.9";

/** What is sent in each attempt of a call. */
type Call = Pick<HttpRequest, "method" | "path" | "body" | "headers">;

/** Makes calls: sends a request, again where that is safe and may help, and reads the reply. */
export class Connection {
  readonly #transport: HttpTransport;
  readonly #limits: CallLimits;

  constructor(transport: HttpTransport, limits: CallLimits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  /**
   * @param call must be safe to repeat as it stands
   * @param read gets the reply; what it throws decides whether there is a further one
   */
  async call<T>(call: Call, read: (reply: HttpReply) => T, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    const attempt = async (timeoutMs: number) =>
      read(await this.#transport.send({ ...call, timeoutMs, signal }));
    return withRetries(attempt, readLimits(options, this.#limits), signal);
  }

  /** Runs a query or mutation. @returns its data @throws ApiError when it has an error outside of its data */
  async run<Result, Variables>(
    document: TypedDocument<Result, Variables> | string,
    variables: NoInfer<Variables>,
    options: CallOptions = {},
  ): Promise<Result> {
    const body = JSON.stringify({ query: await textOf(document), variables });
    // Queries take no notice of the key.
    const headers = { ...idempotencyHeader(options), accept: JSON_RESULT };
    return this.call({ method: "POST", path: GRAPHQL_PATH, body, headers }, readData<Result>, options);
  }

  /** Begins a subscription. @param read gets the reply, whose events are yet to come @throws as the attempts do */
  async open<T>(
    document: unknown,
    variables: unknown,
    read: (reply: IncomingMessage) => Promise<T>,
    options: CallOptions = {},
  ): Promise<T> {
    const { signal } = options;
    const body = JSON.stringify({ query: await textOf(document), variables });
    const call = {
      method: "POST",
      path: GRAPHQL_PATH,
      body,
      headers: { accept: "text/event-stream" },
    } as const;
    const attempt = (timeoutMs: number) => this.#transport.open({ ...call, timeoutMs, signal }, read);
    return withRetries(attempt, readLimits(options, this.#limits), signal);
  }
}

/** Makes a request that changes something count once, however often it is sent. @throws TypeError */
export function idempotencyHeader({ idempotencyKey }: CallOptions): Readonly<Record<string, string>> {
  return {
    "idempotency-key": idempotencyKey === undefined ? randomUUID() : readIdempotencyKey(idempotencyKey),
  };
}
