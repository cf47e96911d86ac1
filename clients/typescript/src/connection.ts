import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TypedDocument } from "./document.js";
import { textOf } from "./document.js";
import { type Replied, readData, readMutation } from "./graphql-wire.js";
import type { HttpReply, HttpRequest, HttpTransport } from "./http-transport.js";
import { type CallLimits, type CallOptions, readIdempotencyKey, readLimits } from "./options.js";
import { withRetries } from "./retry.js";

const GRAPHQL_PATH = "graphql";
/** With this media type, GraphQL errors have their own HTTP status; older services answer 200. */
const JSON_RESULT = "application/graphql-response+json, application/json;q=0.9";

/** The request of each attempt of a call. */
type Call = Pick<HttpRequest, "method" | "path" | "body" | "headers">;

/** Sends requests, with retries where that is safe, and reads the replies. */
export class Connection {
  readonly #transport: HttpTransport;
  readonly #limits: CallLimits;

  constructor(transport: HttpTransport, limits: CallLimits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  /**
   * @param call must be safe to repeat
   * @param read reads the reply; the error that it throws decides whether the call is retried
   */
  async call<T>(call: Call, read: (reply: HttpReply) => T, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    const attempt = async (timeoutMs: number) =>
      read(await this.#transport.send({ ...call, timeoutMs, signal }));
    return withRetries(attempt, readLimits(options, this.#limits), signal);
  }

  /** Runs a query or mutation. @returns its data @throws ApiError if the reply has `errors` */
  async run<Result, Variables>(
    document: TypedDocument<Result, Variables> | string,
    variables: NoInfer<Variables>,
    options: CallOptions = {},
  ): Promise<Result> {
    return this.#run(document, variables, options, readData<Result>);
  }

  /** Runs a mutation of this package. @returns its data and the request ID @throws ApiError if the reply has `errors` */
  async mutate<Result, Variables>(
    document: TypedDocument<Result, Variables>,
    variables: NoInfer<Variables>,
    options: CallOptions = {},
  ): Promise<Replied<Result>> {
    return this.#run(document, variables, options, readMutation<Result>);
  }

  async #run<T>(
    document: unknown,
    variables: unknown,
    options: CallOptions,
    read: (reply: HttpReply) => T,
  ): Promise<T> {
    const body = JSON.stringify({ query: textOf(document), variables });
    // Queries ignore the key.
    const headers = { ...idempotencyHeader(options), accept: JSON_RESULT };
    return this.call({ method: "POST", path: GRAPHQL_PATH, body, headers }, read, options);
  }

  /** Starts a subscription. @param read receives the reply before its events @throws as the attempts do */
  async open<T>(
    document: unknown,
    variables: unknown,
    read: (reply: IncomingMessage) => Promise<T>,
    options: CallOptions = {},
  ): Promise<T> {
    const { signal } = options;
    const body = JSON.stringify({ query: textOf(document), variables });
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

/** Adds the Idempotency-Key that makes retries apply at most once. @throws TypeError */
export function idempotencyHeader({ idempotencyKey }: CallOptions): Readonly<Record<string, string>> {
  return {
    "idempotency-key": idempotencyKey === undefined ? randomUUID() : readIdempotencyKey(idempotencyKey),
  };
}
