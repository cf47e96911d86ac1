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
 * @param onRefused called for each reply that rejects the session, for example because its API key was revoked
 */
export function createClient(environment: SessionEnvironment, onRefused: (failure: Failure) => void): Client {
  return clientWith({ "x-console": environment }, onRefused, async () => {
    try {
      return await renewSession();
    } catch (error) {
      const failure = toFailure(error);
      if (failure.code === "FORBIDDEN") onRefused(failure);
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
  return {
    async call<R, V>(document: TypedDocumentString<R, V>, variables: V, options: CallOptions = {}) {
      const { signal, idempotencyKey } = options;
      const request = {
        method: "POST",
        headers: {
          ...credentials,
          "content-type": "application/json",
          ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        },
        body: JSON.stringify({ query: document.toString(), variables }),
        ...(signal ? { signal } : {}),
      };
      let response = await send(ENDPOINT, request);
      if (response.status === 401 && (await renew())) response = await send(ENDPOINT, request);
      const requestId = response.headers.get("x-request-id");
      const { data, errors } = await readJson<Reply<R>>(response);
      const [error] = errors ?? [];
      if (error) {
        const failure = fromReply(error, requestId);
        if (failure.code === "UNAUTHENTICATED") onRefused(failure);
        throw failure;
      }
      if (!data) throw new Failure("The service returned no data.", "NETWORK", requestId);
      return data;
    },
  };
}

function fromReply({ message, extensions }: ReplyError, requestId: string | null): Failure {
  const { code = "INTERNAL", retryAfter } = extensions ?? {};
  return new Failure(message, code, extensions?.requestId ?? requestId, retryAfter);
}
