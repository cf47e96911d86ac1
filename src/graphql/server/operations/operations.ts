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
import { REPLAYED_HEADER } from "../../../domain/requests/idempotency-key.js";
import { rateLimitHeaders } from "../../../domain/requests/rate-limit-headers.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { Services } from "../../../services/services.js";
import type { GraphqlContext } from "../../shared/context.js";
import { domainErrorOf } from "../../shared/error-format.js";
import type { OperationLimits } from "../../shared/operation-limits.js";
import { Admission } from "../limits/admission.js";
import type { Variables } from "../limits/amount.js";
import { tokenLimitError } from "../limits/token-limit.js";
import { AnonymousReplies } from "./anonymous-replies.js";
import { Compiler } from "./compilation.js";
import { Executor } from "./executor.js";
import { createPreparer, type PreparedOperation } from "./prepared-operation.js";
import { type OperationReply, shapeFailure, shapeReply } from "./reply.js";

/** Cache size in characters of source; each takes about 60 bytes parsed and 40 more compiled. */
const MAX_CHARACTERS = 400_000;
/** Size of a document beside its source. */
const DOCUMENT_CHARACTERS = 100;

const NO_HEADERS = {};

export interface OperationOptions {
  readonly introspection: boolean;
  readonly limits: OperationLimits;
  /** Number of interpreted runs before an operation is compiled; Infinity disables compilation. */
  readonly compileAfter: number;
  readonly log: FastifyBaseLogger;
}

/** Prepares and runs GraphQL operations, the same for every transport. */
export class Operations {
  readonly #schema: GraphQLSchema;
  readonly #options: OperationOptions;
  readonly #admission: Admission;
  readonly #executor: Executor;
  readonly #prepare: ReturnType<typeof createPreparer>;
  /** Keyed by source, then operation name. */
  readonly #cache = new LRUCache<string, Map<string | undefined, PreparedOperation>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, source) => source.length + DOCUMENT_CHARACTERS,
  });

  readonly #anonymousReplies = new AnonymousReplies();

  constructor(schema: GraphQLSchema, services: Services, options: OperationOptions) {
    const { introspection, limits, compileAfter } = options;
    const compiler = new Compiler(schema, compileAfter, services.telemetry.metrics.caches.compiledOperations);
    this.#schema = schema;
    this.#options = options;
    this.#admission = new Admission(limits);
    this.#executor = new Executor(schema, services, introspection);
    this.#prepare = createPreparer(schema, compiler, introspection);
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
      this.#prepare(source, operationName, document ?? parseDocument(source, this.#options.limits.tokens))
    );
  }

  /** Checks and runs a query or mutation. Never rejects: failures are returned as errors in the reply. */
  async run(sent: PreparedOperation, variables: Variables, context: GraphqlContext): Promise<OperationReply> {
    const known = this.#anonymousReplies.find(sent, variables, context);
    // A known operation has been measured and validated before.
    const prepared = known?.prepared ?? sent;
    let headers: Readonly<Record<string, string>> = NO_HEADERS;
    const errorContext = this.#errorContext(context);
    try {
      if (prepared.operation?.operation === "subscription") throw eventStreamRequired();
      const errors = this.#admission.admit(prepared, variables, context);
      if (errors.length > 0) return shapeReply({ errors }, headers, errorContext);
      this.#addToCache(prepared, context);
      const { rootFields = 1 } = prepared.measure() ?? {};
      // Creating the context has charged the first root field (decision 33).
      const charge = rootFields > 1 ? context.spend(rootFields - 1) : null;
      if (charge) headers = rateLimitHeaders(await charge);
      if (known) return { status: 200, headers, result: { data: known.data } };
      const onReplay = () => {
        headers = { ...headers, [REPLAYED_HEADER]: "true" };
      };
      const result = await this.#executor.execute({ prepared, variables, context, onReplay });
      const reply = this.#anonymousReplies.add(prepared, variables, context, result);
      return shapeReply(reply, headers, errorContext);
    } catch (error) {
      return shapeFailure(error, headers, errorContext);
    }
  }

  /**
   * Checks and starts a subscription.
   * @returns its events; pass each to `executeEvent`
   * @throws DomainError if the subscription is rejected
   */
  async subscribe(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<AsyncIterator<unknown>> {
    if (prepared.operation?.operation !== "subscription") {
      throw new DomainError(
        "bad_request",
        "An event stream requires a subscription. Send queries and mutations with `Accept: application/json`.",
      );
    }
    const [error] = this.#admission.admit(prepared, variables, context);
    if (error) throw new DomainError("bad_request", error.message, { cause: error });
    this.#addToCache(prepared, context);
    const events = await createSourceEventStream(this.#argsOf(prepared, variables, context));
    if (Symbol.asyncIterator in events) return events[Symbol.asyncIterator]();
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
    return shapeReply(result, NO_HEADERS, this.#errorContext(context)).result;
  }

  /** Returns the reply to an operation that failed before it ran. */
  fail(error: unknown, context: Pick<GraphqlContext, "requestId" | "metrics">): OperationReply {
    return shapeFailure(error, NO_HEADERS, this.#errorContext(context));
  }

  #addToCache(prepared: PreparedOperation, { session }: GraphqlContext): void {
    const { source, operationName, operation } = prepared;
    // Requests without credentials must not evict others from the cache.
    if (!operation || !session) return;
    const known = this.#cache.get(source);
    if (known?.has(operationName)) return;
    this.#cache.set(source, new Map([...(known ?? []), [operationName, prepared]]));
  }

  #argsOf(prepared: PreparedOperation, variables: Variables, context: GraphqlContext): ExecutionArgs {
    return {
      schema: this.#schema,
      document: prepared.document,
      operationName: prepared.operationName,
      variableValues: variables,
      contextValue: context,
      hideSuggestions: !this.#options.introspection,
    };
  }

  #errorContext({ requestId, metrics }: Pick<GraphqlContext, "requestId" | "metrics">) {
    return { requestId, metrics, log: this.#options.log };
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
