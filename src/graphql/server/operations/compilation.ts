import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { CountLookup } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import type { Variables } from "../limits/amount.js";
import { completeInputObjects } from "./input-objects.js";

/** Types whose resolvers may exceed the `ReplyBudget` and abort the reply. */
const BUDGETED_TYPES = /^SiteConfig/;

/** The executor runs the operation again with graphql-js for the error message. */
const INVALID_VARIABLES = { errors: [new GraphQLError("Invalid variables.")] };

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
  readonly #countLookup: CountLookup;

  /** @param compileAfter number of interpreted runs before an operation is compiled; Infinity disables compilation */
  constructor(schema: GraphQLSchema, compileAfter: number, countLookup: CountLookup) {
    this.#schema = schema;
    this.#compileAfter = compileAfter;
    this.#countLookup = countLookup;
  }

  /** Returns a function that returns null for the first `compileAfter` calls, then the compiled operation. */
  compileLater(document: DocumentNode, operation: OperationDefinitionNode): () => CompiledOperation | null {
    if (this.#compileAfter === Number.POSITIVE_INFINITY) return () => null;
    let uses = 0;
    let compiled: CompiledOperation | null | undefined;
    return () => {
      uses += 1;
      if (compiled === undefined && uses > this.#compileAfter) compiled = this.compile(document, operation);
      this.#countLookup(compiled ? "hit" : "miss");
      return compiled ?? null;
    };
  }

  /** Compiles an operation. @returns null if it must be interpreted */
  compile(document: DocumentNode, operation: OperationDefinitionNode): CompiledOperation | null {
    // Compiled code would set the object's prototype instead of this key.
    if (document.loc?.source.body.includes("__proto__")) return null;
    if (mustBeInterpreted(this.#schema, document)) return null;
    const compiled = compileQuery(this.#schema, document, operation.name?.value);
    if (!isCompiledQuery(compiled)) return null;
    const complete = completeInputObjects(this.#schema, operation);
    if (!complete) return compiled.query;
    return (root, context, variables) => {
      const completed = complete(variables);
      return completed ? compiled.query(root, context, completed) : INVALID_VARIABLES;
    };
  }
}

/**
 * Returns whether a document must be interpreted. Compiled code would continue after the error that aborts a reply and collect one error
 * per item, and graphql-jit 0.8 sets fields with a default to null if their variable is omitted.
 */
function mustBeInterpreted(schema: GraphQLSchema, document: DocumentNode): boolean {
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
      ObjectField({ value }) {
        if (value.kind !== Kind.VARIABLE || types.getDefaultValue() === undefined) return undefined;
        found = true;
        return BREAK;
      },
    }),
  );
  return found;
}
