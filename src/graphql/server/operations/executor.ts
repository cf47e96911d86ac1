import { ApolloServerErrorCode } from "@apollo/server/errors";
import { type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from "graphql";
import type { Writer } from "../../../domain/accounts/caller.js";
import { requireWrite } from "../../../domain/accounts/scopes.js";
import { isObject } from "../../../domain/shared/json.js";
import { isReplicaFailure } from "../../../services/requests/replica-router.js";
import type { Services } from "../../../services/services.js";
import { inSpan } from "../../../telemetry/tracing.js";
import { type GraphqlContext, requireSession, withReplica } from "../../shared/context.js";
import { Loaders } from "../../shared/loaders.js";
import type { Variables } from "../limits/amount.js";
import type { PreparedOperation } from "./prepared-operation.js";

const MS_PER_S = 1000;

/** An admitted operation of one request. */
interface Execution {
  readonly prepared: PreparedOperation;
  readonly variables: Variables;
  readonly context: GraphqlContext;
  /** Called when the result is replayed from an earlier request. */
  readonly onReplay: () => void;
}

/** Executes queries and mutations; a mutation with an Idempotency-Key is applied at most once (decision 39). */
export class Executor {
  readonly #schema: GraphQLSchema;
  readonly #services: Services;
  readonly #hideSuggestions: boolean;

  /** @param introspection whether errors in variables may suggest schema names */
  constructor(schema: GraphQLSchema, services: Services, introspection: boolean) {
    this.#schema = schema;
    this.#services = services;
    this.#hideSuggestions = !introspection;
  }

  /** Executes an operation. Metrics and traces use its type, because its name is caller-controlled. */
  async execute(execution: Execution): Promise<ExecutionResult> {
    const { metrics, tracing } = this.#services.telemetry;
    const type = execution.prepared.operation?.operation ?? "query";
    const startedAt = performance.now();
    let outcome = "errors";
    try {
      const attributes = { "graphql.operation.type": type };
      const result = tracing
        ? await inSpan(tracing, `graphql ${type}`, { attributes }, () => this.#execute(execution))
        : await this.#execute(execution);
      if (!result.errors) outcome = "ok";
      return result;
    } finally {
      metrics.operations.observe({ type, outcome }, (performance.now() - startedAt) / MS_PER_S);
    }
  }

  #execute(execution: Execution): Promise<ExecutionResult> {
    const { prepared, context } = execution;
    const { session, idempotencyKey } = context;
    const type = prepared.operation?.operation;
    if (type === "mutation") {
      context.recordWrite();
      return idempotencyKey === undefined
        ? this.#run(execution, context)
        : this.#runIdempotent(execution, idempotencyKey);
    }
    if (type !== "query" || !session) return this.#run(execution, context);
    return this.#services.replicaRouter.run(context.consistency, async (replica) => {
      if (!replica) return this.#run(execution, context);
      const replicaContext = { ...context, session: withReplica(this.#services, session, replica) };
      const result = await this.#run(execution, replicaContext);
      const failure = result.errors?.find(({ originalError }) => isReplicaFailure(originalError));
      if (failure) throw failure.originalError;
      return result;
    });
  }

  async #runIdempotent(execution: Execution, key: string): Promise<ExecutionResult> {
    const { prepared, variables, context, onReplay } = execution;
    const { source, operationName = null } = prepared;
    try {
      const writer = requireWrite(requireSession(context).caller);
      const request = { key, content: ["graphql", source, operationName, variables] };
      const { reply, replayed } = await this.#services.idempotency.once(
        writer,
        request,
        async (transactionWriter) => {
          const result = await this.#run(
            execution,
            inTransaction(this.#services, context, transactionWriter),
          );
          if (result.errors) throw new ExecutionFailed(result);
          return { data: result.data };
        },
      );
      if (replayed) onReplay();
      return isObject(reply) && isObject(reply["data"]) ? { data: reply["data"] } : {};
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
    const result = await execute({
      schema: this.#schema,
      document: prepared.document,
      operationName: prepared.operationName,
      variableValues: variables,
      contextValue: context,
      hideSuggestions: this.#hideSuggestions,
    });
    markRequestErrors(result, prepared);
    return result;
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
