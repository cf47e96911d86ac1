import { ApolloServerErrorCode } from "@apollo/server/errors";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { requireWrite } from "../../domain/accounts/scopes.js";
import { isObject } from "../../domain/shared/json.js";
import { hasFailed } from "../../services/requests/lagging-reads.js";
import type { Services } from "../../services/services.js";
import { type GraphqlContext, readingFrom, requireSession } from "../shared/context.js";
import { Loaders } from "../shared/loaders.js";
import { CompiledOperations } from "./compiled-operations.js";

/** An operation that is valid and within its limits. */
export interface ReadyOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  /** Null when there is none of that name, which graphql-js refuses. */
  readonly operation: OperationDefinitionNode | null;
  /** The text of the document. */
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: GraphqlContext;
  /** Is told when the result is that of an earlier request. */
  readonly onReplay: () => void;
}

export type Executor = (operation: ReadyOperation) => Promise<ExecutionResult>;

/**
 * Makes what runs operations; a mutation with an Idempotency-Key counts once (decision 39).
 * @param options.compileAfter how often a document is interpreted before it is compiled; Infinity compiles none
 * @param options.introspection whether errors of variables may suggest names of the schema
 */
export function createExecutor(
  schema: GraphQLSchema,
  services: Services,
  { compileAfter, introspection }: { readonly compileAfter: number; readonly introspection: boolean },
): Executor {
  const { compiledOperations } = services.telemetry.tally.caches;
  const compiled = new CompiledOperations(schema, compileAfter, compiledOperations);
  const run = async (ready: ReadyOperation, contextValue: GraphqlContext): Promise<ExecutionResult> => {
    const { document, operation, operationName, variables } = ready;
    // Compiling takes longer than an anonymous request may take.
    const query = operation && contextValue.session && compiled.find(document, operation);
    if (query) {
      const result = await query.run(contextValue, variables);
      if (!result.errors) return result;
      // Without data, nothing has run: the variables do not fit, which graphql-js tells in its own words.
      if (result.data !== undefined) return { ...result, errors: result.errors.map(toGraphqlError) };
    }
    const result = await execute({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue,
      hideSuggestions: !introspection,
    });
    if (operation && result.data === undefined) markVariableErrors(result);
    return result;
  };
  const query = (ready: ReadyOperation): Promise<ExecutionResult> => {
    const { context } = ready;
    const { session } = context;
    if (!session) return run(ready, context);
    return services.laggingReads.run(context.consistency, async (replica) => {
      if (!replica) return run(ready, context);
      const result = await run(ready, { ...context, session: readingFrom(services, session, replica) });
      const failure = result.errors?.find(({ originalError }) => hasFailed(originalError));
      if (failure) throw failure.originalError;
      return result;
    });
  };
  return async (ready) => {
    const { context, operation } = ready;
    if (operation?.operation === "query") return query(ready);
    if (operation?.operation !== "mutation") return run(ready, context);
    context.noteWrite();
    const key = context.idempotencyKey;
    if (key === undefined) return run(ready, context);
    const { source, operationName = null, variables } = ready;
    try {
      const writer = requireWrite(requireSession(context).caller);
      const request = { key, content: ["graphql", source, operationName, variables] };
      const { reply, replayed } = await services.idempotency.once(writer, request, async (inside) => {
        const result = await run(ready, within(services, context, inside));
        if (result.errors) throw new Failed(result);
        return { data: result.data };
      });
      if (replayed) ready.onReplay();
      return isObject(reply) && isObject(reply["data"]) ? { data: reply["data"] } : {};
    } catch (error) {
      // Nothing that the operation did counts: a part of its data would tell otherwise.
      if (error instanceof Failed) return error.result;
      throw error;
    }
  };
}

/** Apollo Server does not recognise all of them: after 50, graphql-js only adds that it has stopped there. */
function markVariableErrors({ errors = [] }: ExecutionResult): void {
  for (const { extensions } of errors) extensions["code"] ??= ApolloServerErrorCode.BAD_USER_INPUT;
}

/** The errors of compiled operations can be neither changed nor completed. */
function toGraphqlError(compiled: GraphQLError): GraphQLError {
  const { message, path, locations, originalError } = compiled;
  const error = new GraphQLError(message, { path: path ?? null, originalError: originalError ?? null });
  return Object.defineProperty(error, "locations", { value: locations, enumerable: locations !== undefined });
}

/** Has everything that a request does be a part of one transaction. */
function within(services: Services, context: GraphqlContext, writer: Writer): GraphqlContext {
  const { budget, signal } = requireSession(context).loaders;
  const loaders = new Loaders(services, writer, { budget: budget.again(), signal });
  return { ...context, session: { kind: "caller", caller: writer, loaders } };
}

/** Undoes what an operation did, and carries out what went wrong. */
class Failed extends Error {
  readonly result: ExecutionResult;

  constructor({ data, errors = [] }: ExecutionResult) {
    super("The operation failed.");
    // Without data, nothing has run, and the client is at fault.
    this.result = data === undefined ? { errors } : { data: null, errors };
  }
}
