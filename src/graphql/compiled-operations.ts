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
import { forgetOldest } from "../domain/forget-oldest.js";
import type { Variables } from "./amount.js";
import type { GraphqlContext } from "./context.js";
import { hasEndlessVariable, inputDefaults } from "./input-defaults.js";

/** The most operations that are kept compiled. */
const MAX_COMPILED = 1000;

/** The types of which a reply may hold so many that it is broken off (`ReplyBudget`). */
const COUNTED = /^SiteConfig/;

interface Uses {
  count: number;
  /** Null for an operation that cannot be compiled. */
  compiled?: CompiledOperation | null;
}

/** An operation that was compiled. */
export interface CompiledOperation {
  /** @param variables as they were sent @returns errors without data when the variables do not fit */
  run(context: GraphqlContext, variables: Variables): ReturnType<CompiledQuery["query"]>;
}

/**
 * Compiles operations that are sent more than once: what is sent just once is not worth it. Apollo Server keeps parsed documents, so a
 * document that comes again is the same object.
 */
export class CompiledOperations {
  readonly #schema: GraphQLSchema;
  readonly #after: number;
  readonly #uses = new WeakMap<OperationDefinitionNode, Uses>();
  /** What is compiled, the longest unused first. */
  readonly #kept = new Map<CompiledOperation, () => void>();

  /** @param after how often a document is run before it is compiled; Infinity compiles none */
  constructor(schema: GraphQLSchema, after: number) {
    this.#schema = schema;
    this.#after = after;
  }

  /**
   * The compiled operation.
   * @returns null where there is none, and the document is to be interpreted
   */
  find(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    if (this.#after === Number.POSITIVE_INFINITY) return null;
    const uses: Uses = this.#uses.get(operation) ?? { count: 0 };
    this.#uses.set(operation, uses);
    uses.count += 1;
    if (uses.count <= this.#after) return null;
    if (uses.compiled === undefined) uses.compiled = this.#compile(document, operation);
    if (uses.compiled) this.#keep(uses.compiled, () => delete uses.compiled);
    return uses.compiled;
  }

  #compile(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    // In the code that is made of it, this key would be the object's prototype.
    if (document.loc?.source.body.includes("__proto__")) return null;
    if (mayBreakOff(this.#schema, document) || hasEndlessVariable(this.#schema, operation)) return null;
    const compiled = compileQuery(this.#schema, document, operation.name?.value);
    if (!isCompiledQuery(compiled)) return null;
    const complete = inputDefaults(this.#schema, operation);
    return {
      run: (context, variables) =>
        compiled.query(undefined, context, complete ? complete(variables) : variables),
    };
  }

  #keep(compiled: CompiledOperation, forget: () => void): void {
    this.#kept.delete(compiled);
    this.#kept.set(compiled, forget);
    forgetOldest(this.#kept, MAX_COMPILED)?.();
  }
}

/** Says whether a document asks for what may be broken off: compiled code would go on, and collect an error for each item. */
function mayBreakOff(schema: GraphQLSchema, document: DocumentNode): boolean {
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
