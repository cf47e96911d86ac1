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
import { LRUCache } from "lru-cache";
import { HitCount } from "../../telemetry/counts.js";
import type { GraphqlContext } from "../shared/context.js";
import { hasEndlessVariable, inputDefaults } from "./input-defaults.js";
import type { Variables } from "./limits/amount.js";

/**
 * How many characters of documents are kept compiled; each of them takes some 40 bytes of code, and as many of what was parsed.
 */
const MAX_CHARACTERS = 500_000;

/** The types of which a reply may hold so many that it is broken off (`ReplyBudget`). */
const COUNTED = /^SiteConfig/;

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
  readonly #hits: HitCount;
  /** How often an operation that is not compiled was run. */
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  /** Without code for an operation that cannot be compiled. */
  readonly #compiled: LRUCache<OperationDefinitionNode, { readonly code: CompiledOperation | null }>;

  /**
   * @param after how often a document is run before it is compiled; Infinity compiles none
   * @param hits counts how many ran compiled
   */
  constructor(schema: GraphQLSchema, after: number, hits = new HitCount()) {
    this.#hits = hits;
    this.#schema = schema;
    this.#after = after;
    this.#compiled = new LRUCache({
      maxSize: MAX_CHARACTERS,
      sizeCalculation: (_, { loc }) => loc?.source.body.length ?? MAX_CHARACTERS,
      dispose: (_, operation) => this.#uses.delete(operation),
    });
  }

  /**
   * The compiled operation.
   * @returns null where there is none, and the document is to be interpreted
   */
  find(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    if (this.#after === Number.POSITIVE_INFINITY) return null;
    const code = this.#find(document, operation);
    if (code) this.#hits.hits += 1;
    else this.#hits.misses += 1;
    return code;
  }

  #find(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    const known = this.#compiled.get(operation);
    if (known) return known.code;
    const uses = (this.#uses.get(operation) ?? 0) + 1;
    this.#uses.set(operation, uses);
    if (uses <= this.#after) return null;
    const code = this.#compile(document, operation);
    this.#compiled.set(operation, { code });
    return code;
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
