import type { TypedDocument } from "./document.js";
import { textOf } from "./document.js";
import { readData } from "./graphql-wire.js";
import type { HttpRequest, HttpStream, HttpTransport } from "./http-transport.js";
import { type CallOptions, readIdempotencyKey, readLimits, type Settings } from "./options.js";
import { responseInfoOf } from "./reply.js";
import { keepResponse, type ResponseInfo } from "./response.js";
import { withRetries } from "./retry.js";

/** With this media type, GraphQL errors have their own HTTP status; older services answer 200. */
const JSON_RESULT = "application/graphql-response+json, application/json;q=0.9";

/** Sends operations, with retries, which must be safe, and reads the replies. */
export class Connection {
  readonly #transport: HttpTransport;
  readonly #settings: Pick<Settings, "limits" | "hooks">;

  constructor(transport: HttpTransport, settings: Settings) {
    this.#transport = transport;
    this.#settings = settings;
  }

  /**
   * Runs a query, or a mutation that may be repeated without a key.
   * @param read returns the call's result from the data @throws ApiError if the reply has `errors`
   */
  async run<Result, Variables, T>(
    document: TypedDocument<Result, Variables> | string,
    variables: NoInfer<Variables>,
    options: CallOptions = {},
    read: (data: Result, response: ResponseInfo) => T,
  ): Promise<T> {
    const { idempotencyKey: key } = options;
    const headers = {
      accept: JSON_RESULT,
      ...(key === undefined ? {} : { "idempotency-key": readIdempotencyKey(key) }),
    };
    return this.#call({ document, variables, headers }, options, async (request, operation) => {
      const reply = await this.#transport.send(request);
      const response = responseInfoOf(reply);
      this.#settings.hooks.onResponse?.({ ...operation, ...response });
      return keepResponse(read(readData<Result>(reply), response), response);
    });
  }

  /** Runs a mutation, with a key that makes its retries apply at most once. @throws as `run` does */
  async mutate<Result, Variables, T>(
    document: TypedDocument<Result, Variables> | string,
    variables: NoInfer<Variables>,
    options: CallOptions = {},
    read: (data: Result, response: ResponseInfo) => T,
  ): Promise<T> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    return this.run(document, variables, { ...options, idempotencyKey }, read);
  }

  /** Starts a subscription. @param check receives the reply before its events @throws as the attempts do */
  async open(
    document: unknown,
    variables: unknown,
    check: (reply: Response) => Promise<Response>,
    options: CallOptions = {},
  ): Promise<HttpStream> {
    const headers = { accept: "text/event-stream" };
    return this.#call({ document, variables, headers }, options, (request) =>
      this.#transport.open(request, check),
    );
  }

  async #call<T>(
    { document, variables, headers }: Operation,
    options: CallOptions,
    exchange: (request: HttpRequest, info: { operation: string | undefined; attempt: number }) => Promise<T>,
  ): Promise<T> {
    const { hooks, limits } = this.#settings;
    const { signal } = options;
    const query = textOf(document);
    const body = JSON.stringify({ query, variables });
    const operation = /^\s*(?:query|mutation|subscription)\s+(\w+)/.exec(query)?.[1];
    const send = async (timeoutMs: number, attempt: number) => {
      const info = { operation, attempt };
      const added = { ...headers };
      hooks.onRequest?.({ ...info, headers: added });
      return exchange({ body, headers: added, timeoutMs, signal }, info);
    };
    return withRetries(send, readLimits(options, limits), signal, (retry) =>
      hooks.onRetry?.({ operation, ...retry }),
    );
  }
}

interface Operation {
  readonly document: unknown;
  readonly variables: unknown;
  readonly headers: Readonly<Record<string, string>>;
}
