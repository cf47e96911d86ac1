import {
  BREAK,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { CacheStats } from "../../../telemetry/counters.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { Variables } from "../limits/amount.js";
import { inputDefaults } from "./input-defaults.js";

/** Types whose resolvers may exceed the `ReplyBudget` and abort the reply. */
const BUDGETED_TYPES = /^SiteConfig/;

/** Runs an operation. @param variables as sent @returns errors without data if the variables are invalid */
export type CompiledOperation = (
  root: undefined,
  context: GraphqlContext,
  variables: Variables,
) => ReturnType<CompiledQuery["query"]>;

/** Compiles repeated operations only: compiling takes longer than interpreting an operation once. */
export class Compiler {
  readonly #schema: GraphQLSchema;
  readonly #compileAfter: number;
  readonly #stats: CacheStats;

  /** @param compileAfter number of interpreted runs before an operation is compiled; Infinity disables compilation */
  constructor(schema: GraphQLSchema, compileAfter: number, stats: CacheStats) {
    this.#schema = schema;
    this.#compileAfter = compileAfter;
    this.#stats = stats;
  }

  /** Returns a function that returns null for the first `compileAfter` calls, then the compiled operation. */
  compileLater(document: DocumentNode, operation: OperationDefinitionNode): () => CompiledOperation | null {
    if (this.#compileAfter === Number.POSITIVE_INFINITY) return () => null;
    let uses = 0;
    let compiled: CompiledOperation | null | undefined;
    return () => {
      uses += 1;
      if (compiled === undefined && uses > this.#compileAfter) compiled = this.compile(document, operation);
      if (compiled) this.#stats.hits += 1;
      else this.#stats.misses += 1;
      return compiled ?? null;
    };
  }

  /** Compiles an operation. @returns null if it must be interpreted */
  compile(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    // Compiled code would set the object's prototype instead of this key.
    if (document.loc?.source.body.includes("__proto__")) return null;
    if (mayExceedBudget(this.#schema, document)) return null;
    const compiled = compileQuery(this.#schema, document, operation.name?.value);
    if (!isCompiledQuery(compiled)) return null;
    const complete = inputDefaults(this.#schema, operation);
    if (!complete) return compiled.query;
    return (root, context, variables) => compiled.query(root, context, complete(variables));
  }
}

/** Aborted replies must be interpreted: compiled code would continue after the first error and collect one per item. */
function mayExceedBudget(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const type = getNamedType(types.getType());
        if (!type || !BUDGETED_TYPES.test(type.name)) return undefined;
        found = true;
        return BREAK;
      },
    }),
  );
  return found;
}
