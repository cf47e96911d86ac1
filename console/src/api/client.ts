import { Failure } from "./failure.js";
import type { TypedDocumentString } from "./generated/operations.js";

/** Relative, because the service may be served below a path prefix of a proxy. */
const ENDPOINT = "../graphql";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A mutation that is retried with the same key is applied at most once (decision 39). */
  readonly idempotencyKey?: string;
}

/** A GraphQL client with one API key. */
export interface Client {
  /** @throws Failure if the reply contains errors, or there is no reply */
  call<R, V>(document: TypedDocumentString<R, V>, variables: NoInfer<V>, options?: CallOptions): Promise<R>;
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

/** @param onRefused called for each reply that rejects the key, for example because it was revoked */
export function createClient(key: string, onRefused: (failure: Failure) => void): Client {
  return {
    async call<R, V>(document: TypedDocumentString<R, V>, variables: V, options: CallOptions = {}) {
      const { signal, idempotencyKey } = options;
      const response = await send({
        method: "POST",
        headers: {
          authorization: `Token ${key}`,
          "content-type": "application/json",
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        body: JSON.stringify({ query: document.toString(), variables }),
        cache: "no-store",
        credentials: "omit",
        referrerPolicy: "no-referrer",
        ...(signal ? { signal } : {}),
      });
      const requestId = response.headers.get("x-request-id");
      const { data, errors } = await read<R>(response, requestId);
      const [error] = errors ?? [];
      if (error) {
        const failure = toFailure(error, requestId);
        if (failure.code === "UNAUTHENTICATED") onRefused(failure);
        throw failure;
      }
      if (!data) throw new Failure("The service returned no data.", "NETWORK", requestId);
      return data;
    },
  };
}

async function send(init: RequestInit): Promise<Response> {
  try {
    return await fetch(ENDPOINT, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Failure("The service is unreachable.", "NETWORK", null);
  }
}

/** @throws Failure if another server replied, such as a proxy */
async function read<R>(response: Response, requestId: string | null): Promise<Reply<R>> {
  try {
    return await response.json();
  } catch {
    const message = `The reply is not from the service (status ${response.status}).`;
    throw new Failure(message, "NETWORK", requestId);
  }
}

function toFailure({ message, extensions }: ReplyError, requestId: string | null): Failure {
  const { code = "INTERNAL", retryAfter } = extensions ?? {};
  const retryHint = retryAfter === undefined ? "" : ` Try again in ${retryAfter} s.`;
  return new Failure(message + retryHint, code, extensions?.requestId ?? requestId);
}
