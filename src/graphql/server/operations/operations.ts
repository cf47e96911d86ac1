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
import { Compiler } from "./compilation.js";
import { Executor } from "./executor.js";
import { createPreparer, type PreparedOperation } from "./prepared-operation.js";
import { type OperationReply, shapeFailure, shapeReply } from "./reply.js";

/** How many characters of documents are cached; each takes some 60 bytes parsed, and 40 more compiled. */
const MAX_CHARACTERS = 1_000_000;

const NO_HEADERS = {};

export interface OperationOptions {
  readonly introspection: boolean;
  readonly limits: OperationLimits;
  /** How often an operation is interpreted before it is compiled; Infinity compiles none. */
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
  /** By source and operation name. */
  readonly #cache = new LRUCache<string, Map<string | undefined, PreparedOperation>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, source) => source.length + 1,
  });

  constructor(schema: GraphQLSchema, services: Services, options: OperationOptions) {
    const { introspection, limits, compileAfter } = options;
    const compiler = new Compiler(schema, compileAfter, services.telemetry.metrics.caches.compiledOperations);
    this.#schema = schema;
    this.#options = options;
    this.#admission = new Admission(limits);
    this.#executor = new Executor(schema, services, introspection);
    this.#prepare = createPreparer(schema, compiler, introspection);
  }

  /** Returns an operation that has run before for a caller with credentials, if it is still cached. */
  find(source: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.#cache.get(source)?.get(operationName);
  }

  /**
   * Prepares an operation, or returns it from the cache.
   * @param document the parsed source, if it was parsed before
   * @throws DomainError `bad_request` or `too_many_tokens` when the source cannot be parsed
   */
  prepare(source: string, operationName: string | undefined, document?: DocumentNode): PreparedOperation {
    return (
      this.find(source, operationName) ??
      this.#prepare(source, operationName, document ?? parseWithin(source, this.#options.limits.tokens))
    );
  }

  /** Checks and runs a query or mutation. Never rejects: every failure becomes part of the reply. */
  async run(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<OperationReply> {
    let headers: Readonly<Record<string, string>> = NO_HEADERS;
    const errorContext = this.#errorContext(context);
    try {
      if (prepared.operation?.operation === "subscription") throw needsEventStream();
      const errors = this.#admit(prepared, variables, context);
      if (errors.length > 0) return shapeReply({ errors }, headers, errorContext);
      const { rootFields = 1 } = prepared.measure() ?? {};
      // The context has paid for the first root field (decision 33).
      const spending = rootFields > 1 ? context.spend(rootFields - 1) : null;
      if (spending) headers = rateLimitHeaders(await spending);
      const onReplay = () => {
        headers = { ...headers, [REPLAYED_HEADER]: "true" };
      };
      const result = await this.#executor.execute({ prepared, variables, context, onReplay });
      return shapeReply(result, headers, errorContext);
    } catch (error) {
      return shapeFailure(error, headers, errorContext);
    }
  }

  /**
   * Checks and starts a subscription.
   * @returns its events, each to be passed to `executeEvent`
   * @throws DomainError when the subscription is refused
   */
  async subscribe(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<AsyncIterator<unknown>> {
    if (prepared.operation?.operation !== "subscription") {
      throw new DomainError("bad_request", "Only one subscription is answered with an event stream.");
    }
    const [error] = this.#admit(prepared, variables, context);
    if (error) throw new DomainError("bad_request", error.message, { cause: error });
    const events = await createSourceEventStream(this.#argsOf(prepared, variables, context));
    if (Symbol.asyncIterator in events) return events[Symbol.asyncIterator]();
    const [refusal] = events.errors ?? [];
    // An error without a path precedes all resolvers: it is about the variables.
    throw (
      domainErrorOf(refusal) ??
      (refusal?.path ? refusal.originalError : new DomainError("bad_request", refusal?.message ?? "No data."))
    );
  }

  /** Executes the operation of a subscription for one of its events. */
  async executeEvent(
    event: unknown,
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): Promise<ExecutionResult> {
    return execute({ ...this.#argsOf(prepared, variables, context), rootValue: event });
  }

  /** Shapes the result of an event for its subscriber. */
  shape(result: ExecutionResult, context: GraphqlContext): FormattedExecutionResult {
    return shapeReply(result, NO_HEADERS, this.#errorContext(context)).result;
  }

  /** Returns the reply to an operation that failed before it ran. */
  fail(error: unknown, context: GraphqlContext): OperationReply {
    return shapeFailure(error, NO_HEADERS, this.#errorContext(context));
  }

  #admit(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): readonly GraphQLError[] {
    const errors = this.#admission.admit(prepared, variables, context);
    // Requests without credentials must not displace others from the cache.
    if (errors.length === 0 && prepared.operation && context.session) this.#remember(prepared);
    return errors;
  }

  #remember(prepared: PreparedOperation): void {
    const { source, operationName } = prepared;
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

  #errorContext({ requestId, metrics }: GraphqlContext) {
    return { requestId, metrics, log: this.#options.log };
  }
}

function needsEventStream(): DomainError {
  return new DomainError(
    "bad_request",
    "A subscription is answered with an event stream: send it by POST with Accept: text/event-stream.",
  );
}

function parseWithin(source: string, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw (
      tokenLimitError(error, maxTokens) ?? new DomainError("bad_request", error.message, { cause: error })
    );
  }
}
