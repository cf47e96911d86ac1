import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from "graphql";
import type { Writer } from "../domain/caller.js";
import { isObject } from "../domain/json.js";
import { requireWrite } from "../services/access.js";
import type { Services } from "../services/services.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { Loaders } from "./loaders.js";

/** An operation that is valid and within its limits. */
export interface ReadyOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly isMutation: boolean;
  /** The text of the document. */
  readonly source: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: GraphqlContext;
  /** Is told when the result is that of an earlier request. */
  readonly onReplay: () => void;
}

export type Executor = (operation: ReadyOperation) => Promise<ExecutionResult>;

/** Makes what runs operations; a mutation with an Idempotency-Key counts once (decision 39). */
export function createExecutor(schema: GraphQLSchema, services: Services): Executor {
  const run = async ({ document, operationName, variables }: ReadyOperation, contextValue: GraphqlContext) =>
    execute({ schema, document, operationName, variableValues: variables, contextValue });
  return async (operation) => {
    const { context, isMutation } = operation;
    const key = isMutation ? context.idempotencyKey : undefined;
    if (key === undefined) return run(operation, context);
    const { source, operationName = null, variables } = operation;
    try {
      const writer = requireWrite(requireSession(context).caller);
      const request = { key, content: ["graphql", source, operationName, variables] };
      const { reply, replayed } = await services.idempotency.once(writer, request, async (inside) => {
        const result = await run(operation, within(services, context, inside));
        if (result.errors) throw new Failed(result.errors);
        return { data: result.data };
      });
      if (replayed) operation.onReplay();
      return isObject(reply) && isObject(reply["data"]) ? { data: reply["data"] } : {};
    } catch (error) {
      // Nothing that the operation did counts: a part of its data would tell otherwise.
      if (error instanceof Failed) return { data: null, errors: error.errors };
      throw error;
    }
  };
}

/** Has everything that a request does be a part of one transaction. */
function within(services: Services, context: GraphqlContext, writer: Writer): GraphqlContext {
  const session = { kind: "caller", caller: writer, loaders: new Loaders(services, writer) } as const;
  return { ...context, session };
}

/** Undoes what an operation did, and carries out what went wrong. */
class Failed extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super("The operation failed.");
    this.errors = errors;
  }
}
