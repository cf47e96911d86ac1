import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from "@apollo/server/errors";
import {
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  specifiedRules,
  TypeInfo,
  TypeMetaFieldDef,
  type ValidationContext,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { DomainError } from "../../../domain/shared/errors.js";
import type { CountLookup } from "../../../telemetry/metrics.js";
import type { GraphqlContext } from "../../shared/context.js";
import { findAnonymousError, findFrontEndError } from "../limits/access-rules.js";
import { measureOperation, type OperationMeasure, type Variables } from "../limits/operation-measure.js";
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

/** An operation with everything derived from its source alone; each method computes its result once. */
export interface PreparedOperation {
  readonly source: string;
  /** As sent: part of the fingerprint of an idempotent request. */
  readonly operationName: string | undefined;
  readonly document: DocumentNode;
  /** Null if the document has no operation of this name. */
  readonly operation: OperationDefinitionNode | null;
  /** The number of fields and fragment spreads in the document, fragments not expanded, and their names. */
  selections(): { readonly count: number; readonly fields: ReadonlySet<string> };
  measure(): OperationMeasure | null;
  /** Error for requests without credentials; null if they may run it. */
  anonymousError(): DomainError | null;
  /** Error for front ends; null if they may run it. */
  frontEndError(): DomainError | null;
  validationErrors(): readonly GraphQLError[];
  /** Null if the operation must be interpreted. */
  compiled(): CompiledOperation | null;
}

interface PreparationOptions {
  readonly introspection: boolean;
  /** Number of interpreted runs before an operation is compiled; Infinity disables compilation. */
  readonly compileAfter: number;
  readonly countLookup: CountLookup;
}

/** Returns a function that prepares the operations of a schema. */
export function createPreparer(schema: GraphQLSchema, options: PreparationOptions) {
  const { introspection } = options;
  const rules = introspection ? specifiedRules : [...specifiedRules, noIntrospection];
  return (source: string, operationName: string | undefined, document: DocumentNode): PreparedOperation => {
    const operation = getOperationAST(document, operationName) ?? null;
    return {
      source,
      operationName,
      document,
      operation,
      selections: once(() => selectionsOf(document)),
      measure: once(() => operation && measureOperation(schema, document, operation)),
      anonymousError: once(() => findAnonymousError(document)),
      frontEndError: once(() => findFrontEndError(document, schema)),
      validationErrors: once(() =>
        validate(schema, document, rules, { hideSuggestions: !introspection }).map(withCode),
      ),
      compiled: operation ? compileLater(schema, document, operation, options) : () => null,
    };
  };
}

function once<Result>(compute: () => Result): () => Result {
  let known: { readonly result: Result } | undefined;
  return () => {
    known ??= { result: compute() };
    return known.result;
  };
}

function selectionsOf(document: DocumentNode) {
  const names: string[] = [];
  const add = ({ name }: { readonly name: NameNode }) => {
    names.push(name.value);
  };
  visit(document, { Field: add, FragmentSpread: add });
  return { count: names.length, fields: new Set(names) };
}

function withCode({ message, nodes, extensions }: GraphQLError): GraphQLError {
  const code = ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED;
  return new GraphQLError(message, { nodes: nodes ?? null, extensions: { ...extensions, code } });
}

/** Validation rule that rejects introspection, with the error extension that Apollo's tools expect. */
function noIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value;
      if (name !== SchemaMetaFieldDef.name && name !== TypeMetaFieldDef.name) return;
      const extensions = { validationErrorCode: ApolloServerValidationErrorCode.INTROSPECTION_DISABLED };
      context.reportError(new GraphQLError("Introspection is disabled.", { nodes: node, extensions }));
    },
  };
}

/**
 * Returns a function that returns null for the first `compileAfter` calls, then the compiled operation: compiling takes longer than
 * interpreting an operation once.
 */
function compileLater(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { compileAfter, countLookup }: PreparationOptions,
): () => CompiledOperation | null {
  if (compileAfter === Number.POSITIVE_INFINITY) return () => null;
  let uses = 0;
  let compiled: CompiledOperation | null | undefined;
  return () => {
    uses += 1;
    if (compiled === undefined && uses > compileAfter)
      compiled = compileOperation(schema, document, operation);
    countLookup(compiled ? "hit" : "miss");
    return compiled ?? null;
  };
}

/** Compiles an operation. @returns null if it must be interpreted */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | null {
  // Compiled code would set the object's prototype instead of this key.
  if (document.loc?.source.body.includes("__proto__")) return null;
  // Compiled code would set fields to null whose variable was not sent.
  if (operation.operation === OperationTypeNode.MUTATION) return null;
  if (mustBeInterpreted(schema, document)) return null;
  const compiled = compileQuery(schema, document, operation.name?.value);
  if (!isCompiledQuery(compiled)) return null;
  const complete = completeInputObjects(schema, operation);
  if (!complete) return compiled.query;
  return (root, context, variables) => {
    const completed = complete(variables);
    return completed ? compiled.query(root, context, completed) : INVALID_VARIABLES;
  };
}

/**
 * Returns whether a document must be interpreted. Compiled code would continue after the error that aborts a reply and collect one error
 * per item. graphql-jit 0.8 sets fields with a default to null if their variable is omitted, and ignores variables within a value of a
 * scalar type such as `JSON`.
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
      Variable() {
        // Fields and items of a scalar's value have no type.
        if (types.getInputType()) return undefined;
        found = true;
        return BREAK;
      },
    }),
  );
  return found;
}
