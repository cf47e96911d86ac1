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

/** The types of which a reply may hold so many that it is aborted (`ReplyBudget`). */
const COUNTED = /^SiteConfig/;

/** Runs an operation. @param variables as sent @returns errors without data when the variables are invalid */
export type CompiledOperation = (
  context: GraphqlContext,
  variables: Variables,
) => ReturnType<CompiledQuery["query"]>;

/** Compiles operations that are run more than once: compiling takes longer than interpreting one once. */
export class Compiler {
  readonly #schema: GraphQLSchema;
  readonly #after: number;
  readonly #stats: CacheStats;

  /** @param after how often an operation is interpreted before it is compiled; Infinity compiles none */
  constructor(schema: GraphQLSchema, after: number, stats: CacheStats) {
    this.#schema = schema;
    this.#after = after;
    this.#stats = stats;
  }

  /** Returns a function that returns null until it was called often enough, and the compiled operation from then on. */
  compileLater(document: DocumentNode, operation: OperationDefinitionNode): () => CompiledOperation | null {
    if (this.#after === Number.POSITIVE_INFINITY) return () => null;
    let uses = 0;
    let compiled: CompiledOperation | null | undefined;
    return () => {
      uses += 1;
      if (compiled === undefined && uses > this.#after) compiled = this.compile(document, operation);
      if (compiled) this.#stats.hits += 1;
      else this.#stats.misses += 1;
      return compiled ?? null;
    };
  }

  /** Compiles an operation. @returns null for one that has to be interpreted */
  compile(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    // In compiled code, this key would be the object's prototype.
    if (document.loc?.source.body.includes("__proto__")) return null;
    if (mayBeAborted(this.#schema, document)) return null;
    const compiled = compileQuery(this.#schema, document, operation.name?.value);
    if (!isCompiledQuery(compiled)) return null;
    const complete = inputDefaults(this.#schema, operation);
    return (context, variables) =>
      compiled.query(undefined, context, complete ? complete(variables) : variables);
  }
}

/** Compiled code would not stop at the first error of an aborted reply, but collect an error for each item. */
function mayBeAborted(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const type = getNamedType(types.getType());
        if (!type || !COUNTED.test(type.name)) return undefined;
        found = true;
        return BREAK;
      },
    }),
  );
  return found;
}
