import { parseJson } from "./exact-json.js";
import { Failure, toFailure } from "./failure.js";
import type { TypedDocumentString } from "./generated/operations.js";
import { readJson, send } from "./http.js";
import { renewSession, type SessionEnvironment } from "./session-api.js";

/** Relative, because the service may be served below a path prefix of a proxy. */
const ENDPOINT = "../graphql";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A mutation that is retried with the same key is applied at most once (decision 39). */
  readonly idempotencyKey?: string;
}

/** A GraphQL client for one environment. */
export interface Client {
  /** @throws Failure if the reply contains errors, or there is no reply */
  call<R, V>(document: TypedDocumentString<R, V>, variables: NoInfer<V>, options?: CallOptions): Promise<R>;
  /** Waits until no mutation waits for its reply, and its caller has received it. */
  idle(): Promise<void>;
  /**
   * Yields the events of a subscription until the service completes it, and null when its stream opens.
   * @throws Failure if it cannot start, or the connection breaks
   */
  follow<R, V>(
    document: TypedDocumentString<R, V>,
    variables: NoInfer<V>,
    signal: AbortSignal,
  ): AsyncGenerator<R | null, void>;
}

interface Reply<R> {
  readonly data?: R | null;
  readonly errors?: readonly ReplyError[];
}

interface ReplyError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly requestId?: string;
    readonly retryAfter?: number;
  };
}

/**
 * Creates a client for an environment of the session.
 * @param onRefused called for each reply that rejects the session, for example because its API key was revoked, or an action (`FORBIDDEN`)
 */
export function createClient(environment: SessionEnvironment, onRefused: (failure: Failure) => void): Client {
  return clientWith({ "x-console": environment }, onRefused, async () => {
    try {
      return await renewSession();
    } catch (error) {
      const failure = toFailure(error);
      if (failure.code === "FORBIDDEN")
        onRefused(new Failure(failure.message, "ROLE_LOST", failure.requestId));
      throw failure;
    }
  });
}

/** Creates a client that calls the service as a page does with an embed session, without the console's session. */
export function createFrontEndClient(embedSession: string): Client {
  return clientWith(
    { authorization: `Bearer ${embedSession}` },
    () => undefined,
    async () => false,
  );
}

function clientWith(
  credentials: Readonly<Record<string, string>>,
  onRefused: (failure: Failure) => void,
  renew: () => Promise<boolean>,
): Client {
  async function post(body: object, headers: Readonly<Record<string, string>>, signal?: AbortSignal) {
    const request = {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    };
    const response = await send(ENDPOINT, request);
    return response.status === 401 && (await renew()) ? send(ENDPOINT, request) : response;
  }

  function dataOf<R>({ data, errors }: Reply<R>, response: Response): R {
    const requestId = response.headers.get("x-request-id");
    const [error] = errors ?? [];
    if (error) {
      const failure = fromReply(error, requestId);
      if (["UNAUTHENTICATED", "FORBIDDEN"].includes(failure.code)) onRefused(failure);
      throw failure;
    }
    if (!data) throw new Failure("The service returned no data.", "NETWORK", requestId);
    return data;
  }

  async function call<R, V>(document: TypedDocumentString<R, V>, variables: V, options: CallOptions = {}) {
    const { signal, idempotencyKey } = options;
    const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const response = await post({ query: document.toString(), variables }, headers, signal);
    return dataOf(await readJson<Reply<R>>(response), response);
  }
  const mutations = new Set<Promise<unknown>>();
  return {
    call(document, variables, options) {
      const reply = call(document, variables, options);
      if (document.toString().trimStart().startsWith("mutation")) {
        mutations.add(reply);
        const settle = () => mutations.delete(reply);
        reply.then(settle, settle);
      }
      return reply;
    },
    async idle() {
      await Promise.allSettled(mutations);
      // After the callers' own microtasks.
      await new Promise((resolve) => setTimeout(resolve));
    },
    async *follow<R, V>(document: TypedDocumentString<R, V>, variables: V, signal: AbortSignal) {
      const body = { query: document.toString(), variables };
      const response = await post(body, { accept: "text/event-stream" }, signal);
      if (!response.ok || !response.body) return void dataOf(await readJson<Reply<R>>(response), response);
      yield null;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ; ) {
        const { done, value = "" } = await reader.read();
        if (done) throw new Failure("The event stream broke.", "NETWORK", null);
        const blocks = (text + value).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const [, event, data = ""] = /^event: (.*)\ndata: ?(.*)$/m.exec(block) ?? [];
          if (event === "complete") return;
          if (event === "next") yield dataOf(parseJson<Reply<R>>(data), response);
        }
      }
    },
  };
}

function fromReply({ message, extensions }: ReplyError, requestId: string | null): Failure {
  const { code = "INTERNAL", retryAfter } = extensions ?? {};
  return new Failure(message, code, extensions?.requestId ?? requestId, retryAfter);
}
