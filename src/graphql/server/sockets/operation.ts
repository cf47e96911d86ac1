import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from "graphql";
import type { Deadline } from "../../../domain/shared/deadline.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { Work } from "../../../services/requests/work-limit.js";
import type { Services } from "../../../services/services.js";
import { toReadable } from "../../../services/shared/event-source.js";
import { createContext, type GraphqlContext, type Watcher } from "../../shared/context.js";
import { firstCode } from "../../shared/error-format.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { isLargerThan, replyTooLarge } from "../../shared/reply-budget.js";
import {
  MAX_EVENT_BYTES,
  mayStartAgain,
  RenderedSubscription,
  type SubscriptionEvent,
} from "../streams/rendered-subscription.js";
import type { StreamOperations } from "../streams/stream-operations.js";
import type { SocketConnection } from "./connection.js";

/** Maximum operations in progress per WebSocket, subscriptions included. */
const MAX_OPERATIONS = 100;

export interface SocketOperationOptions {
  readonly services: Services;
  readonly watcher: Watcher;
  readonly streams: StreamOperations;
  readonly work: Work;
  readonly requestTimeoutMs: number;
}

/** A WebSocket with its caller. */
export interface SocketCaller {
  readonly connection: SocketConnection;
  readonly request: FastifyRequest;
  /** Set by `connection_init`. */
  authorization: string;
}

/** A formatted result, which graphql-ws passes on to the hook that sends it. */
export class SocketResult implements ExecutionResult {
  readonly data = null;

  constructor(readonly formatted: FormattedExecutionResult) {}
}

/** The formatted errors of an operation that does not run, which graphql-ws passes on likewise. */
export class OperationRejected extends Error {
  readonly formatted: readonly GraphQLFormattedError[];

  constructor({ errors = [] }: FormattedExecutionResult) {
    super("The operation was rejected.");
    this.formatted = errors;
  }
}

/** Runs the operations of WebSockets by the pipeline of HTTP requests. */
export class SocketOperations {
  constructor(private readonly options: SocketOperationOptions) {}

  /**
   * Authenticates the caller again, and starts an operation.
   * @param payload the operation as it arrived
   * @param inProgress number of operations in progress, with this one
   * @returns its result or the results of its events; throws OperationRejected in place of the first if the operation does not run
   */
  async start(
    caller: SocketCaller,
    payload: unknown,
    inProgress: number,
  ): Promise<AsyncIterableIterator<SocketResult>> {
    const requestId = randomUUID();
    const { services, streams, work, requestTimeoutMs } = this.options;
    const { metrics } = services.telemetry;
    const deadline = { isOver: false };
    const timer = setTimeout(() => {
      deadline.isOver = true;
    }, requestTimeoutMs);
    const { ip: address } = caller.request;
    let endWork: () => void = () => undefined;
    let isAdmitted = false;
    let hasFailed = true;
    try {
      if (inProgress > MAX_OPERATIONS) throw tooManyOperations();
      endWork = work.limit.admit(address);
      let isRefused = false;
      const context = await this.#createContext(caller, { requestId, deadline }, () => {
        isRefused = true;
      });
      await work.turns.wait(caller.request);
      isAdmitted = true;
      const started = await streams.start(payload, context, address);
      if (started instanceof RenderedSubscription) {
        endWork();
        hasFailed = false;
        const results = this.#deliver(toReadable(started), caller, context);
        return withPromptReturn(results, () => started.end());
      }
      const { result } = started;
      if (!("data" in result)) throw new OperationRejected(result);
      if (isLargerThan(JSON.stringify(result), MAX_EVENT_BYTES)) throw replyTooLarge(MAX_EVENT_BYTES);
      hasFailed = isRefused || result.errors !== undefined;
      // The work ends when the result is sent: a client that does not read must not gather results.
      return withPromptReturn(once(new SocketResult(result), endWork), endWork);
    } catch (error) {
      endWork();
      const rejected =
        error instanceof OperationRejected
          ? error
          : new OperationRejected(streams.fail(error, { requestId, metrics }));
      logRejection(caller, requestId, rejected);
      // Queries that were not admitted may run over the same WebSocket later.
      if (mayStartAgain(error) && (isAdmitted || error.code === "unauthenticated")) await end(caller, error);
      return failed(rejected);
    } finally {
      clearTimeout(timer);
      services.usage.recordCall(caller.request, hasFailed);
    }
  }

  async #createContext(
    { authorization, request: { ip: address } }: SocketCaller,
    { requestId, deadline }: { readonly requestId: string; readonly deadline: Deadline },
    recordRefusal: () => void,
  ): Promise<GraphqlContext> {
    const { services, watcher } = this.options;
    return createContext(services, watcher, {
      id: requestId,
      identity: await services.access.identify(authorization, { requestId, address, deadline }),
      authorization,
      idempotencyKey: undefined,
      address,
      recordWrite: () => undefined,
      recordRefusal,
    });
  }

  async *#deliver(
    events: AsyncIterable<SubscriptionEvent>,
    caller: SocketCaller,
    context: GraphqlContext,
  ): AsyncGenerator<SocketResult, void, undefined> {
    try {
      for await (const { result } of events) yield new SocketResult(result);
    } catch (error) {
      if (!mayStartAgain(error)) throw new OperationRejected(this.options.streams.fail(error, context));
      await end(caller, error);
    }
  }
}

async function* once(result: SocketResult, end: () => void): AsyncGenerator<SocketResult, void, undefined> {
  try {
    yield result;
  } finally {
    end();
  }
}

async function* failed(error: OperationRejected): AsyncGenerator<SocketResult, void, undefined> {
  yield await Promise.reject(error);
}

/** Logs an operation that was rejected, as HTTP requests are; `webSocket` is the request ID of the WebSocket. */
function logRejection({ request }: SocketCaller, requestId: string, { formatted }: OperationRejected): void {
  const { id: webSocket, tenant } = request;
  const code = firstCode(formatted);
  const { accountId, keyId } = tenant ?? {};
  request.log.info({ requestId, webSocket, code, accountId, keyId }, "WebSocket operation rejected");
}

async function end({ connection, request }: SocketCaller, error: DomainError): Promise<void> {
  request.errorCode = error.code;
  await connection.end(error);
}

function tooManyOperations(): DomainError {
  return new DomainError(
    "rate_limited",
    `At most ${MAX_OPERATIONS} operations may be in progress over a WebSocket. Wait for one to complete, or open another WebSocket.`,
    { retryAfter: 1, details: { limit: MAX_OPERATIONS } },
  );
}
