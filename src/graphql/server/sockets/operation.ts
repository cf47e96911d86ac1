import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from "graphql";
import type { Deadline } from "../../../domain/shared/deadline.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { WorkQueue } from "../../../services/requests/work-queue.js";
import type { Services } from "../../../services/services.js";
import { createContext, type GraphqlContext, type Watcher } from "../../shared/context.js";
import { withPromptReturn } from "../../shared/prompt-return.js";
import { isLargerThan, replyTooLarge } from "../../shared/reply-budget.js";
import type { Operations } from "../operations/operations.js";
import type { PreparedOperation } from "../operations/prepared-operation.js";
import type { PersistedQueries } from "../persisted-queries.js";
import {
  type OperationRequest,
  readOperation,
  requireShortSubscription,
} from "../streams/operation-request.js";
import {
  MAX_EVENT_BYTES,
  mayStartAgain,
  type SubscriptionEvent,
  type Subscriptions,
} from "../streams/subscriptions.js";
import type { SocketConnection } from "./connection.js";

export interface SocketOperationOptions {
  readonly services: Services;
  readonly watcher: Watcher;
  readonly operations: Operations;
  readonly subscriptions: Subscriptions;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
  readonly work: WorkQueue;
  readonly requestTimeoutMs: number;
}

/** An authenticated WebSocket. */
export interface SocketCaller {
  readonly connection: SocketConnection;
  readonly request: FastifyRequest;
  readonly authorization: string;
}

/** An operation as it arrived. */
interface SubscribeMessage {
  readonly payload: unknown;
  /** The reason to reject it; null if there is none. */
  readonly refusal: DomainError | null;
}

/** A formatted result, which graphql-ws passes on to the hook that sends it. */
export class SocketResult implements ExecutionResult {
  readonly data = null;

  constructor(readonly formatted: FormattedExecutionResult) {}
}

/** An operation that has started, with its result or the results of its events. */
export class StartedOperation {
  constructor(readonly results: AsyncIterableIterator<SocketResult>) {}
}

/** The formatted errors of an operation that does not run. */
export class OperationRejected extends GraphQLError {
  readonly formatted: readonly GraphQLFormattedError[];

  constructor(errors: readonly GraphQLFormattedError[] = []) {
    super("The operation was rejected.");
    this.formatted = errors;
  }
}

/** Runs the operations of WebSockets by the pipeline of HTTP requests. */
export class SocketOperations {
  constructor(private readonly options: SocketOperationOptions) {}

  /**
   * Authenticates the caller again, and starts an operation.
   * @throws OperationRejected if the operation does not run
   */
  async start(caller: SocketCaller, { payload, refusal }: SubscribeMessage): Promise<StartedOperation> {
    const requestId = randomUUID();
    const { operations, services, work, requestTimeoutMs, persistedQueries } = this.options;
    const { metrics } = services.telemetry;
    const deadline = { isOver: false };
    const timer = setTimeout(() => {
      deadline.isOver = true;
    }, requestTimeoutMs);
    const { ip: address } = caller.request;
    let endWork: () => void = () => undefined;
    try {
      if (refusal) throw refusal;
      endWork = work.admit(address);
      const context = await this.#createContext(caller, requestId, deadline);
      await work.turn(address);
      const request = readOperation(payload, persistedQueries);
      const prepared = operations.prepare(request.source, request.operationName);
      if (prepared.operation?.operation !== "subscription") {
        const result = await this.#run(prepared, request, context);
        // The work ends when the result is sent: a client that does not read must not gather results.
        return new StartedOperation(withPromptReturn(once(result, endWork), endWork));
      }
      const results = await this.#subscribe(caller, { ...request, context });
      endWork();
      return new StartedOperation(results);
    } catch (error) {
      endWork();
      const rejected =
        error instanceof OperationRejected
          ? error
          : new OperationRejected(operations.fail(error, { requestId, metrics }).result.errors);
      logRejection(caller, requestId, rejected);
      if (error instanceof DomainError && error.code === "unauthenticated") await end(caller, error);
      throw rejected;
    } finally {
      clearTimeout(timer);
    }
  }

  async #createContext(
    { authorization, request: { ip: address } }: SocketCaller,
    requestId: string,
    deadline: Deadline,
  ): Promise<GraphqlContext> {
    const { services, watcher } = this.options;
    return createContext(services, watcher, {
      id: requestId,
      identity: await services.access.identify(authorization, { requestId, address, deadline }),
      authorization,
      idempotencyKey: undefined,
      consistency: undefined,
      address,
      recordWrite: () => undefined,
    });
  }

  async #run(
    prepared: PreparedOperation,
    { variables }: OperationRequest,
    context: GraphqlContext,
  ): Promise<SocketResult> {
    const { result } = await this.options.operations.run(prepared, variables, context);
    if (!("data" in result)) throw new OperationRejected(result.errors);
    if (isLargerThan(JSON.stringify(result), MAX_EVENT_BYTES)) throw replyTooLarge(MAX_EVENT_BYTES);
    return new SocketResult(result);
  }

  async #subscribe(
    caller: SocketCaller,
    subscription: OperationRequest & { readonly context: GraphqlContext },
  ): Promise<AsyncIterableIterator<SocketResult>> {
    requireShortSubscription(subscription);
    const { services, subscriptions } = this.options;
    const { context } = subscription;
    let release = context.session
      ? services.eventStreams.admit(context.session, caller.request.ip)
      : () => undefined;
    try {
      const events = await subscriptions.start(subscription);
      const close = () => {
        release();
        release = () => undefined;
        void events.return?.();
      };
      return withPromptReturn(this.#deliver(events, caller, { context, close }), close);
    } catch (error) {
      release();
      if (mayStartAgain(error)) await end(caller, error);
      throw error;
    }
  }

  async *#deliver(
    events: AsyncIterable<SubscriptionEvent>,
    caller: SocketCaller,
    { context, close }: { readonly context: GraphqlContext; close(): void },
  ): AsyncGenerator<SocketResult, void, undefined> {
    try {
      for await (const { result } of events) {
        if (!caller.connection.isOpen) return;
        yield new SocketResult(result);
      }
    } catch (error) {
      if (!mayStartAgain(error)) {
        throw new OperationRejected(this.options.operations.fail(error, context).result.errors);
      }
      await end(caller, error);
    } finally {
      close();
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

/** Logs an operation that was rejected, as HTTP requests are; `webSocket` is the request ID of the WebSocket. */
function logRejection({ request }: SocketCaller, requestId: string, { formatted }: OperationRejected): void {
  const { id: webSocket, tenant } = request;
  const code = String(formatted[0]?.extensions?.["code"]).toLowerCase();
  const { accountId, keyId } = tenant ?? {};
  request.log.info({ requestId, webSocket, code, accountId, keyId }, "WebSocket operation rejected");
}

async function end({ connection, request }: SocketCaller, error: DomainError): Promise<void> {
  request.errorCode = error.code;
  await connection.end(error);
}
