import { ApolloServerErrorCode, ApolloServerValidationErrorCode } from "@apollo/server/errors";
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  specifiedRules,
  TypeMetaFieldDef,
  type ValidationContext,
  validate,
  visit,
} from "graphql";
import type { DomainError } from "../../../domain/shared/errors.js";
import { findAnonymousError } from "../limits/anonymous-documents.js";
import { findFrontEndError } from "../limits/front-end-fields.js";
import { measureOperation, type OperationMeasure } from "../limits/operation-measure.js";
import type { CompiledOperation, Compiler } from "./compilation.js";

/** An operation with everything derived from its source alone; each method computes its result once. */
export interface PreparedOperation {
  readonly source: string;
  /** As sent: part of the fingerprint of an idempotent request. */
  readonly operationName: string | undefined;
  readonly document: DocumentNode;
  /** Null if the document has no operation of this name. */
  readonly operation: OperationDefinitionNode | null;
  /** Number of fields and fragment spreads in the document, fragments not expanded. */
  selections(): number;
  measure(): OperationMeasure | null;
  /** Error for requests without credentials; null if they may run it. */
  anonymousError(): DomainError | null;
  /** Error for front ends; null if they may run it. */
  frontEndError(): DomainError | null;
  validationErrors(): readonly GraphQLError[];
  /** Null if the operation must be interpreted. */
  compiled(): CompiledOperation | null;
}

/** Returns a function that prepares the operations of a schema. */
export function createPreparer(schema: GraphQLSchema, compiler: Compiler, introspection: boolean) {
  const rules = introspection ? specifiedRules : [...specifiedRules, noIntrospection];
  return (source: string, operationName: string | undefined, document: DocumentNode): PreparedOperation => {
    const operation = getOperationAST(document, operationName) ?? null;
    return {
      source,
      operationName,
      document,
      operation,
      selections: once(() => countSelections(document)),
      measure: once(() => operation && measureOperation(schema, document, operation)),
      anonymousError: once(() => findAnonymousError(document)),
      frontEndError: once(() => findFrontEndError(document, schema)),
      validationErrors: once(() =>
        validate(schema, document, rules, { hideSuggestions: !introspection }).map(withCode),
      ),
      compiled: operation ? compiler.compileLater(document, operation) : () => null,
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

function countSelections(document: DocumentNode): number {
  let count = 0;
  const add = () => {
    count += 1;
  };
  visit(document, { Field: add, FragmentSpread: add });
  return count;
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
