import { setImmediate } from "node:timers/promises";
import { ApolloServerErrorCode } from "@apollo/server/errors";
import type { FastifyBaseLogger } from "fastify";
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  parse,
} from "graphql";
import { LRUCache } from "lru-cache";
import type { Writer } from "../../../domain/accounts/caller.js";
import { requireWrite } from "../../../domain/accounts/scopes.js";
import { REPLAYED_HEADER } from "../../../domain/requests/idempotency-key.js";
import { rateLimitHeaders } from "../../../domain/requests/rate-limit.js";
import type { ErrorCode } from "../../../domain/shared/error-catalogue.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { Services } from "../../../services/services.js";
import { inSpan } from "../../../telemetry/tracing.js";
import { type GraphqlContext, requireSession } from "../../shared/context.js";
import { domainErrorOf } from "../../shared/error-format.js";
import { Loaders } from "../../shared/loaders.js";
import type { OperationLimits } from "../../shared/operation-limits.js";
import { Admission, tokenLimitError } from "../limits/admission.js";
import type { Variables } from "../limits/operation-measure.js";
import { createPreparer, type PreparedOperation } from "./prepared-operation.js";
import { type ErrorContext, type OperationReply, shapeFailure, shapeReply } from "./reply.js";

/** Cache size in characters of source; each takes about 60 bytes parsed and 40 more compiled. */
const MAX_CHARACTERS = 400_000;
/** Size of a document beside its source. */
const DOCUMENT_CHARACTERS = 100;

const MS_PER_S = 1000;
const NO_HEADERS = {};

export interface OperationOptions {
  readonly introspection: boolean;
  readonly limits: OperationLimits;
  /** Number of interpreted runs before an operation is compiled; Infinity disables compilation. */
  readonly compileAfter: number;
  readonly log: FastifyBaseLogger;
}

/** An admitted operation of one request. */
interface Execution {
  readonly prepared: PreparedOperation;
  readonly variables: Variables;
  readonly context: GraphqlContext;
  /** Called when the result is replayed from an earlier request. */
  readonly onReplay: () => void;
}

/** Prepares and runs GraphQL operations, the same for every transport. */
export class Operations {
  readonly #admission: Admission;
  readonly #prepare: ReturnType<typeof createPreparer>;
  /** Keyed by source, then operation name. */
  readonly #cache = new LRUCache<string, Map<string | undefined, PreparedOperation>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, source) => source.length + DOCUMENT_CHARACTERS,
  });

  /** The turn of the last large reply. */
  #lastTurn = Promise.resolve();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly services: Services,
    private readonly options: OperationOptions,
  ) {
    const { introspection, limits, compileAfter } = options;
    const countLookup = services.telemetry.metrics.caches.compiledOperations;
    this.#admission = new Admission(limits);
    this.#prepare = createPreparer(schema, { introspection, compileAfter, countLookup });
  }

  /** Returns a cached operation; only operations of authenticated requests are cached. */
  find(source: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.#cache.get(source)?.get(operationName);
  }

  /**
   * Returns an operation from the cache, or prepares it.
   * @param document the parsed source, if available
   * @throws DomainError `bad_request` or `too_many_tokens` if the source cannot be parsed
   */
  prepare(source: string, operationName: string | undefined, document?: DocumentNode): PreparedOperation {
    return (
      this.find(source, operationName) ??
      this.#prepare(source, operationName, document ?? parseDocument(source, this.options.limits.tokens))
    );
  }

  /** Checks and runs a query or mutation. Never rejects: failures are returned as errors in the reply. */
  async run(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<OperationReply> {
    let headers: Readonly<Record<string, string>> = NO_HEADERS;
    const { log } = this.options;
    try {
      if (prepared.operation?.operation === "subscription") throw eventStreamRequired();
      const errors = this.#admission.admit(prepared, variables, context);
      if (errors.length > 0) return shapeReply({ errors }, headers, context, log);
      this.#addToCache(prepared, context);
      const { rootFields = 1 } = prepared.measure() ?? {};
      // Creating the context has charged the first root field (decision 33).
      const charge = rootFields > 1 ? context.spend(rootFields - 1) : null;
      if (charge) headers = rateLimitHeaders(await charge);
      const onReplay = () => {
        headers = { ...headers, [REPLAYED_HEADER]: "true" };
      };
      const result = await this.#execute({ prepared, variables, context, onReplay });
      if (context.session?.loaders.budget.isLarge) await this.#takeTurn();
      return shapeReply(result, headers, context, log);
    } catch (error) {
      return shapeFailure(error, headers, context, log);
    }
  }

  /**
   * Checks and starts a subscription.
   * @returns its source of events; pass each to `executeEvent`
   * @throws DomainError if the subscription is rejected
   */
  async subscribe(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<AsyncIterable<unknown>> {
    const [error] = this.#admission.admit(prepared, variables, context);
    if (error) throw new DomainError("bad_request", error.message, { cause: error });
    this.#addToCache(prepared, context);
    const events = await createSourceEventStream(this.#argsOf(prepared, variables, context));
    if (Symbol.asyncIterator in events) return events;
    const [refusal] = events.errors ?? [];
    // An error without a path was raised before any resolver ran, by invalid variables.
    throw (
      domainErrorOf(refusal) ??
      (refusal?.path
        ? refusal.originalError
        : new DomainError("bad_request", refusal?.message ?? "The subscription failed."))
    );
  }

  /** Executes the selection set of a subscription for one event. */
  async executeEvent(
    event: unknown,
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<ExecutionResult> {
    return execute({ ...this.#argsOf(prepared, variables, context), rootValue: event });
  }

  /** Formats the result of an event, logging and counting its errors. */
  shape(result: ExecutionResult, context: GraphqlContext): FormattedExecutionResult {
    return shapeReply(result, NO_HEADERS, context, this.options.log).result;
  }

  /** Returns the reply to an operation that failed before it ran. */
  fail(error: unknown, context: ErrorContext): OperationReply {
    return shapeFailure(error, NO_HEADERS, context, this.options.log);
  }

  #addToCache(prepared: PreparedOperation, { session }: GraphqlContext): void {
    const { source, operationName, operation } = prepared;
    // Requests without credentials must not evict others from the cache.
    if (!operation || !session) return;
    const known = this.#cache.get(source);
    if (known?.has(operationName)) return;
    this.#cache.set(source, new Map([...(known ?? []), [operationName, prepared]]));
  }

  /** Executes an operation. Metrics and traces use its type, because its name is caller-controlled. */
  async #execute(execution: Execution): Promise<ExecutionResult> {
    const { metrics, tracing } = this.services.telemetry;
    const type = execution.prepared.operation?.operation ?? "query";
    const startedAt = performance.now();
    let outcome = "errors";
    try {
      const attributes = { "graphql.operation.type": type };
      const result = tracing
        ? await inSpan(tracing, `graphql ${type}`, { attributes }, () => this.#executeOnce(execution))
        : await this.#executeOnce(execution);
      if (!result.errors) outcome = "ok";
      return result;
    } finally {
      metrics.operations.observe({ type, outcome }, (performance.now() - startedAt) / MS_PER_S);
    }
  }

  /** Waits for a turn of the event loop in which no other large reply is serialized: the rows of a burst arrive together. */
  #takeTurn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(() => setImmediate());
    return this.#lastTurn;
  }

  #executeOnce(execution: Execution): Promise<ExecutionResult> {
    const { prepared, context } = execution;
    const { idempotencyKey } = context;
    if (prepared.operation?.operation !== "mutation") return this.#run(execution, context);
    context.recordWrite();
    return idempotencyKey === undefined
      ? this.#run(execution, context)
      : this.#runIdempotent(execution, idempotencyKey);
  }

  async #runIdempotent(execution: Execution, key: string): Promise<ExecutionResult> {
    const { prepared, variables, context, onReplay } = execution;
    const { source, operationName = null } = prepared;
    let refusal: ErrorCode | undefined;
    const recording = {
      ...context,
      recordRefusal(code: ErrorCode) {
        refusal ??= code;
        context.recordRefusal(code);
      },
    };
    try {
      const writer = requireWrite(requireSession(context).caller);
      const request = { key, content: ["graphql", source, operationName, variables] };
      const { reply, replayed } = await this.services.idempotency.once(
        writer,
        request,
        async (transactionWriter) => {
          const result = await this.#run(
            execution,
            inTransaction(this.services, recording, transactionWriter),
          );
          if (result.errors) throw new ExecutionFailed(result);
          return { data: result.data ?? null, refusal };
        },
      );
      if (replayed) {
        onReplay();
        if (reply.refusal) context.recordRefusal(reply.refusal);
      }
      return { data: reply.data };
    } catch (error) {
      // The result has no partial data, because everything was rolled back.
      if (error instanceof ExecutionFailed) return error.result;
      throw error;
    }
  }

  async #run({ prepared, variables }: Execution, context: GraphqlContext): Promise<ExecutionResult> {
    // Anonymous requests are always interpreted: compiling takes longer than they may.
    const compiled = context.session && prepared.compiled();
    if (compiled) {
      const result = await compiled(undefined, context, variables);
      // No data means invalid variables and nothing executed: rerun with graphql-js for its better error messages.
      if (!result.errors || result.data !== undefined) return result;
    }
    const result = await execute(this.#argsOf(prepared, variables, context));
    markRequestErrors(result, prepared);
    return result;
  }

  #argsOf(prepared: PreparedOperation, variables: Variables, context: GraphqlContext): ExecutionArgs {
    return {
      schema: this.schema,
      document: prepared.document,
      operationName: prepared.operationName,
      variableValues: variables,
      contextValue: context,
      hideSuggestions: !this.options.introspection,
    };
  }
}

function eventStreamRequired(): DomainError {
  return new DomainError(
    "bad_request",
    "A subscription requires an event stream or a WebSocket. Send it by POST with `Accept: text/event-stream`, or over the sub-protocol `graphql-transport-ws`.",
  );
}

function parseDocument(source: string, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw (
      tokenLimitError(error, maxTokens) ?? new DomainError("bad_request", error.message, { cause: error })
    );
  }
}

/** Sets the code of errors that the request caused, whether or not it was executed. */
function markRequestErrors({ data, errors = [] }: ExecutionResult, { operation }: PreparedOperation): void {
  const code = operation
    ? ApolloServerErrorCode.BAD_USER_INPUT
    : ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE;
  for (const error of errors)
    if (data === undefined || isArgumentError(error)) error.extensions["code"] ??= code;
}

/** Returns whether a field has an invalid argument, such as null in a variable for one that must not be null. */
function isArgumentError({ originalError, message }: GraphQLError): boolean {
  return originalError instanceof GraphQLError && message.startsWith('Argument "');
}

/** Returns a context that loads and writes within the writer's transaction. */
function inTransaction(services: Services, context: GraphqlContext, writer: Writer): GraphqlContext {
  const loaders = new Loaders(services, writer, requireSession(context).loaders.budget.copyLimits());
  return { ...context, session: { kind: "caller", caller: writer, loaders } };
}

/** Thrown to roll back the transaction of a failed operation. */
class ExecutionFailed extends Error {
  readonly result: ExecutionResult;

  constructor({ data, errors = [] }: ExecutionResult) {
    super("The operation failed.");
    // No data means that nothing was executed because the request is invalid.
    this.result = data === undefined ? { errors } : { data: null, errors };
  }
}
