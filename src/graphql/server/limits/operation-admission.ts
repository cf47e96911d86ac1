import { ApolloServerValidationErrorCode } from "@apollo/server/errors";
import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  specifiedRules,
  TypeMetaFieldDef,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from "graphql";
import { DomainError, type ErrorCode } from "../../../domain/shared/errors.js";
import type { GraphqlContext } from "../../shared/context.js";
import { limitsWithoutCredentials, type OperationLimits } from "../../shared/operation-limits.js";
import type { Variables } from "./amount.js";
import { refuseWithoutCredentials } from "./anonymous-documents.js";
import { requireFrontEndFields } from "./front-end-fields.js";
import { measureOperation, type OperationMeasure } from "./operation-measure.js";

/** An operation that was parsed, and nothing more. */
interface ParsedOperation {
  readonly document: DocumentNode;
  /** Null when the document has none of that name. */
  readonly operation: OperationDefinitionNode | null;
  readonly variables: Variables;
}

/** What was found out about a document, once: Apollo Server keeps parsed documents, so one that comes again is the same object. */
interface DocumentFacts {
  readonly selections: number;
  /** Why a request without credentials may not run it; undefined until one has sent it. */
  refusal?: DomainError | null;
  /** What validation finds; undefined until it was validated. */
  faults?: readonly GraphQLError[];
}

/** Decides which operations run, the same for every way in which they arrive (decision 27). */
export class OperationAdmission {
  readonly #schema: GraphQLSchema;
  readonly #limits: OperationLimits;
  readonly #anonymousLimits: OperationLimits;
  readonly #rules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  readonly #known = new WeakMap<DocumentNode, DocumentFacts>();

  /** @param options.introspection whether the schema may be read; otherwise errors suggest none of its names either */
  constructor(
    schema: GraphQLSchema,
    options: { readonly limits: OperationLimits; readonly introspection: boolean },
  ) {
    this.#schema = schema;
    this.#limits = options.limits;
    this.#anonymousLimits = limitsWithoutCredentials(options.limits);
    this.#rules = options.introspection ? specifiedRules : [...specifiedRules, noIntrospection];
    this.#hideSuggestions = !options.introspection;
  }

  /**
   * Checks an operation before it runs, and begins the budget of its reply. What bounds the effort of validation is checked first.
   * @returns the faults that validation finds: the operation may run if there are none
   * @throws DomainError of the first limit that is exceeded, with the figures; `unauthenticated` and `forbidden` for fields that
   *   the request may not read
   */
  admit(
    context: GraphqlContext,
    { document, operation, variables }: ParsedOperation,
  ): readonly GraphQLError[] {
    const { session } = context;
    const limits = session ? this.#limits : this.#anonymousLimits;
    requireFewTokens(limits, document);
    const facts = this.#factsOf(document);
    requireFewSelections(limits, facts);
    if (!session) requireOpen(document, facts);
    const measure = operation && this.measure(document, operation);
    const cost = measure ? requireWithin(limits, measure, variables) : 0;
    const faults = this.#validate(document, facts);
    if (faults.length > 0) return faults;
    requireFrontEndFields(context, document, this.#schema);
    session?.loaders.budget.begin({
      // What a mutation has done is done: its reply is bounded by its bytes only.
      costLeft: operation?.operation === "mutation" ? Number.POSITIVE_INFINITY : limits.cost - cost,
      costLimit: limits.cost,
      bytes: limits.replyBytes,
    });
    return faults;
  }

  /** What validation finds in a document that was admitted. */
  faultsOf(document: DocumentNode): readonly GraphQLError[] {
    return this.#validate(document, this.#factsOf(document));
  }

  measure(document: DocumentNode, operation: OperationDefinitionNode): OperationMeasure {
    return measureOperation(this.#schema, document, operation);
  }

  #validate(document: DocumentNode, facts: DocumentFacts): readonly GraphQLError[] {
    facts.faults ??= validate(this.#schema, document, this.#rules, {
      hideSuggestions: this.#hideSuggestions,
    });
    return facts.faults;
  }

  #factsOf(document: DocumentNode): DocumentFacts {
    const known = this.#known.get(document);
    if (known) return known;
    const facts: DocumentFacts = { selections: countSelections(document) };
    this.#known.set(document, facts);
    return facts;
  }
}

/** A rule of validation; its error has the extension that Apollo's tools look for. */
function noIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      const name = node.name.value;
      if (name !== SchemaMetaFieldDef.name && name !== TypeMetaFieldDef.name) return;
      const extensions = { validationErrorCode: ApolloServerValidationErrorCode.INTROSPECTION_DISABLED };
      context.reportError(new GraphQLError("Introspection is turned off here.", { nodes: node, extensions }));
    },
  };
}

/** Counts the fields and fragment spreads that are written in a document. */
function countSelections(document: DocumentNode): number {
  let count = 0;
  const add = () => {
    count += 1;
  };
  visit(document, { Field: add, FragmentSpread: add });
  return count;
}

/** The parser has refused what no caller may send; a request without credentials may send less. */
function requireFewTokens(
  limits: OperationLimits,
  { tokenCount = Number.POSITIVE_INFINITY }: DocumentNode,
): void {
  if (tokenCount <= limits.tokens) return;
  throw excess("too_many_tokens", `has ${tokenCount} tokens`, tokenCount, limits.tokens);
}

/** Validation compares each field with every other one that may have its name in the reply. */
function requireFewSelections(limits: OperationLimits, { selections }: DocumentFacts): void {
  if (selections <= limits.selections) return;
  const what = `has ${selections} fields and fragment spreads`;
  throw excess("query_too_expensive", what, selections, limits.selections);
}

/** @throws DomainError for a document that may not run without credentials */
function requireOpen(document: DocumentNode, facts: DocumentFacts): void {
  if (facts.refusal === undefined) facts.refusal = refuseWithoutCredentials(document);
  if (facts.refusal) throw facts.refusal;
}

/** @returns the cost of the operation @throws DomainError of the first limit that it exceeds, with the figures */
function requireWithin(limits: OperationLimits, measure: OperationMeasure, variables: Variables): number {
  const { depth, aliases, rootFields } = measure;
  if (depth > limits.depth) {
    throw excess("query_too_deep", `is ${depth} levels deep`, depth, limits.depth);
  }
  if (aliases > limits.aliases) {
    throw excess("too_many_aliases", `has ${aliases} aliases`, aliases, limits.aliases);
  }
  if (rootFields > limits.rootFields) {
    throw excess("too_many_root_fields", `has ${rootFields} root fields`, rootFields, limits.rootFields);
  }
  const cost = measure.costFor(variables);
  if (cost > limits.cost) throw excess("query_too_expensive", `costs ${cost}`, cost, limits.cost);
  return cost;
}

function excess(code: ErrorCode, what: string, actual: number, limit: number): DomainError {
  return new DomainError(code, `The query ${what}; at most ${limit} ${limit === 1 ? "is" : "are"} allowed.`, {
    figures: { limit, actual },
  });
}
